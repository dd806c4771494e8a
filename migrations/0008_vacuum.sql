-- VACUUM, which cannot run in a transaction and so runs before the migrations.
SELECT 1;
