-- No version has ever written to it: what is personal in an audit row is sealed in the row itself.
DROP TABLE "audit_personal_detail";
