-- What is unread is counted by this alone, however many notifications there are.
CREATE INDEX notification_unread_idx ON notification (user_id, created_at DESC, id DESC)
  WHERE read_at IS NULL;
