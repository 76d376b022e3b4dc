-- The words that searches are corrected by are those of the products on sale: a word that a mended
-- product no longer has leaves with the change, since as a known word it would never be corrected.

CREATE FUNCTION words_of_product(name text, category text, description text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg(word ORDER BY word), '{}')
  FROM unnest(tsvector_to_array(to_tsvector('simple'::regconfig,
    concat_ws(' ', name, category, description)))) AS word
  -- No addresses and the like: only what a search for words can ask for.
  WHERE length(word) BETWEEN 2 AND 40 AND word !~ '[[:punct:][:space:]]'
$$;

CREATE OR REPLACE FUNCTION describe_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := setweight(to_tsvector('english', NEW.name), 'A')
    || setweight(to_tsvector('english', NEW.category), 'B')
    || setweight(to_tsvector('english', coalesce(NEW.description, '')), 'D');
  RETURN NEW;
END
$$;

-- After the row, and under the version's lock, which every change of a product takes: a change that
-- takes a word away sees each product that has gained it meanwhile.
CREATE FUNCTION keep_product_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  had text[] := '{}';
  has text[] := '{}';
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.is_active THEN
    had := words_of_product(OLD.name, OLD.category, OLD.description);
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.is_active THEN
    has := words_of_product(NEW.name, NEW.category, NEW.description);
  END IF;
  IF had = has THEN
    RETURN NULL;
  END IF;
  PERFORM 1 FROM catalogue_version WHERE id = 1 FOR UPDATE;
  INSERT INTO product_word (word, variants)
  SELECT word, word_variants(word) FROM unnest(has) AS word
  WHERE NOT word = ANY (had)
  ON CONFLICT DO NOTHING;
  DELETE FROM product_word w
  USING unnest(had) AS gone (word)
  WHERE w.word = gone.word AND NOT gone.word = ANY (has)
    -- A word like "for" is in no search term. It stays, or a search would correct it.
    AND numnode(plainto_tsquery('english', gone.word)) > 0
    AND NOT EXISTS (
      SELECT FROM product p
      WHERE p.is_active AND p.search @@ plainto_tsquery('english', gone.word)
        AND gone.word = ANY (words_of_product(p.name, p.category, p.description)));
  RETURN NULL;
END
$$;
CREATE TRIGGER product_words
  AFTER INSERT OR DELETE OR UPDATE OF name, category, description, is_active ON product
  FOR EACH ROW EXECUTE FUNCTION keep_product_words();

-- The words anew. Changes of products wait for the version's row while this runs.
UPDATE catalogue_version SET version = version + 1 WHERE id = 1;
DELETE FROM product_word;
INSERT INTO product_word (word, variants)
SELECT word, word_variants(word)
FROM (
  SELECT DISTINCT unnest(words_of_product(name, category, description)) AS word
  FROM product WHERE is_active
) AS one
ORDER BY word;

GRANT DELETE ON product_word TO dgs_app;
