"""
Gives every request of the fuzzer a client address of its own, since rate limits have tests
elsewhere. Keeps the portal user who calls from ending their own sessions, whose id the fuzzer finds
in the answers. Sends half of the bodies that are as documented in other bytes (compressed, in another
charset, in bytes that are no UTF-8), or with null for the fields that they leave out.
"""

import gzip
import itertools
import json
import os
import uuid

import schemathesis

# The id of the portal user as whom the fuzzer calls: a new password for them would sign it out.
caller_id = os.environ.get("FUZZ_CALLER_ID")

requests = itertools.count()
bodies = itertools.count()

# The statuses that an altered body may be answered by, by the id of its case. None stands for
# those of a body with nulls, which is answered as if it had none.
altered = {}

# Refusals that come before the body is looked at: of who asks, and of what the path names.
EARLIER = {401, 403, 404, 429}


def fields_left_out(case):
    """Returns the fields that the body lacks and need not have."""
    alternatives = [body for body in case.operation.body if body.media_type == case.media_type]
    if not alternatives or not isinstance(case.body, dict):
        return []
    root = alternatives[0].definition["schema"]
    schema = root
    while "$ref" in schema:
        schema = root["x-bundled"][schema["$ref"].rsplit("/", 1)[-1]]
    required = schema.get("required", [])
    names = schema.get("properties", {})
    return [name for name in names if name not in required and name not in case.body]


def compressed(case):
    body = gzip.compress(json.dumps(case.body).encode())
    return body, {"Content-Encoding": "gzip"}, {415}


def in_another_charset(case):
    body = json.dumps(case.body).encode("utf-16")
    return body, {"Content-Type": "application/json; charset=utf-16"}, {415}


def in_broken_bytes(case):
    return b'{"\xff": ' + json.dumps(case.body).encode() + b"}", {}, {400}


def with_nulls(case):
    names = fields_left_out(case)
    if not names:
        return None
    return json.dumps({**case.body, **dict.fromkeys(names)}).encode(), {}, None


ALTERATIONS = itertools.cycle((compressed, with_nulls, in_another_charset, with_nulls, in_broken_bytes))


def is_as_documented(case):
    meta = case.meta
    return meta is not None and meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(requests)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if case.method.upper() != "GET" and caller_id in case.path_parameters.values():
        case.path_parameters = {name: str(uuid.uuid4()) for name in case.path_parameters}
    is_json = case.media_type == "application/json" and isinstance(case.body, (dict, list))
    if not is_json or not is_as_documented(case) or next(bodies) % 2 == 0:
        return
    alteration = next(ALTERATIONS)(case)
    if alteration is None:
        return
    body, headers, altered[case.id] = alteration
    kwargs["data"] = body
    case.headers.update({"Content-Type": "application/json", **headers})


@schemathesis.check
def altered_body(ctx, response, case):
    """A body in other bytes is refused as documented, and null is absent."""
    if case.id not in altered:
        return
    expected = altered[case.id]
    if expected is None:
        assert "received null" not in response.text, "null for a field that may be absent is refused"
        return
    allowed = expected | EARLIER
    assert response.status_code in allowed, f"{response.status_code} is none of {sorted(allowed)}"
