-- Sessions that ended a moment ago are put on the cache's list again whenever the cache comes back.
CREATE INDEX session_revoked_at_idx ON session (revoked_at) WHERE revoked_at IS NOT NULL;
