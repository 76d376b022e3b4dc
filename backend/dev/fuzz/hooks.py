"""Gives every request of the fuzzer a client address of its own: rate limits have tests elsewhere."""

import itertools

import schemathesis

requests = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(requests)
    case.headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
