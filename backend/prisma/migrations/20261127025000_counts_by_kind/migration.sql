-- A list reads the counts of its own kinds and nothing else, from the index alone.
CREATE INDEX "transaction_total_kind_day_status_count_idx"
  ON "transaction_total"("kind", "day", "status", "count");
CREATE INDEX "list_total_kind_day_status_count_idx"
  ON "list_total"("kind", "day", "status", "count");
