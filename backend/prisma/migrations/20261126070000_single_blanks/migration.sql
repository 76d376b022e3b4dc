-- Names have single blanks, whoever stores them: an operator who types "Asha Rao" finds her, also
-- where a running older version has stored two blanks.
CREATE FUNCTION with_single_blanks(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT regexp_replace(name, '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800]+', ' ', 'g')
$$;

CREATE FUNCTION keep_single_blanks_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.full_name := with_single_blanks(NEW.full_name);
  RETURN NEW;
END
$$;
CREATE TRIGGER app_user_single_blanks BEFORE INSERT OR UPDATE OF full_name ON app_user
  FOR EACH ROW WHEN (NEW.full_name IS NOT NULL)
  EXECUTE FUNCTION keep_single_blanks_of_user();

CREATE FUNCTION keep_single_blanks_of_portal_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name := with_single_blanks(NEW.name);
  RETURN NEW;
END
$$;
CREATE TRIGGER portal_user_single_blanks BEFORE INSERT OR UPDATE OF name ON portal_user
  FOR EACH ROW EXECUTE FUNCTION keep_single_blanks_of_portal_user();

-- The few that have other blanks. Nobody but their own customers waits for these rows.
UPDATE app_user SET full_name = full_name
WHERE full_name IS NOT NULL AND full_name <> with_single_blanks(full_name);
UPDATE portal_user SET name = name WHERE name <> with_single_blanks(name);
