-- Search of the catalogue that forgives typing errors, its version, and the images of products.

-- Trusted: the owner of the database may create it, no superuser is needed.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- AlterTable
ALTER TABLE "product" ADD COLUMN "search" tsvector;

-- CreateTable
CREATE TABLE "product_image" (
    "id" UUID NOT NULL,
    "product_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "widths" INTEGER[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "product_image_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "product_word" (
    "word" TEXT NOT NULL,
    "variants" TEXT[],

    CONSTRAINT "product_word_pkey" PRIMARY KEY ("word")
);

-- CreateTable
CREATE TABLE "catalogue_version" (
    "id" INTEGER NOT NULL,
    "version" BIGINT NOT NULL,

    CONSTRAINT "catalogue_version_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "product_search_idx" ON "product" USING GIN ("search");

-- CreateIndex
CREATE INDEX "product_image_product_id_idx" ON "product_image"("product_id");

-- CreateIndex
CREATE INDEX "product_word_word_idx" ON "product_word" USING GIN ("word" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "product_word_variants_idx" ON "product_word" USING GIN ("variants");

-- AddForeignKey
ALTER TABLE "product_image" ADD CONSTRAINT "product_image_product_id_fkey" FOREIGN KEY ("product_id") REFERENCES "product"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- ---------------------------------------------------------------- what Prisma does not model

ALTER TABLE product_image
  ADD CONSTRAINT product_image_status_check
    CHECK (status IN ('PENDING', 'CURRENT', 'REPLACED', 'REMOVING')),
  ADD CONSTRAINT product_image_ended_check CHECK (status <> 'REPLACED' OR ended_at IS NOT NULL);
CREATE UNIQUE INDEX product_image_current_key ON product_image (product_id)
  WHERE status = 'CURRENT';
CREATE INDEX product_image_removable_idx ON product_image (created_at) WHERE status <> 'CURRENT';
ALTER TABLE product_word
  ADD CONSTRAINT product_word_length_check CHECK (length(word) BETWEEN 2 AND 40);
ALTER TABLE catalogue_version ADD CONSTRAINT catalogue_version_one_check CHECK (id = 1);

-- A page of the list is read off one of these: all products, or those of a category.
CREATE INDEX product_listed_idx ON product (created_at DESC, id DESC) WHERE is_active;
CREATE INDEX product_listed_category_idx ON product (lower(category), created_at DESC, id DESC)
  WHERE is_active;

-- Two words that are one letter apart (added, left out, another, or two exchanged) have a variant in
-- common, which an index on the variants finds; trigrams see little of that in a short word.
CREATE FUNCTION word_variants(word text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT array_agg(DISTINCT variant) FROM (
    SELECT word AS variant
    UNION ALL
    SELECT overlay(word PLACING '' FROM place FOR 1) FROM generate_series(1, length(word)) AS place
    WHERE length(word) > 2
  ) AS one_less
$$;

CREATE FUNCTION describe_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := setweight(to_tsvector('english', NEW.name), 'A')
    || setweight(to_tsvector('english', NEW.category), 'B')
    || setweight(to_tsvector('english', coalesce(NEW.description, '')), 'D');
  -- In the order of the words, so that two that add the same ones can't lock each other out.
  INSERT INTO product_word (word, variants)
  SELECT word, word_variants(word)
  FROM unnest(tsvector_to_array(to_tsvector('simple',
    concat_ws(' ', NEW.name, NEW.category, NEW.description)))) AS word
  -- No addresses and the like: only what a search for words can ask for.
  WHERE length(word) BETWEEN 2 AND 40 AND word !~ '[[:punct:][:space:]]'
  ORDER BY word
  ON CONFLICT DO NOTHING;
  RETURN NEW;
END
$$;
CREATE TRIGGER product_describe BEFORE INSERT OR UPDATE OF name, category, description ON product
  FOR EACH ROW EXECUTE FUNCTION describe_product();

-- After the rows, so that rows are locked before the version by whoever changes products.
CREATE FUNCTION raise_catalogue_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE catalogue_version SET version = version + 1 WHERE id = 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER product_version AFTER INSERT OR UPDATE OR DELETE ON product
  FOR EACH STATEMENT EXECUTE FUNCTION raise_catalogue_version();

INSERT INTO catalogue_version (id, version) VALUES (1, 1);
-- Describes the products that are there.
UPDATE product SET name = name;

GRANT SELECT, INSERT, UPDATE ON catalogue_version TO dgs_app;
GRANT SELECT, INSERT ON product_word TO dgs_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON product_image TO dgs_app;
