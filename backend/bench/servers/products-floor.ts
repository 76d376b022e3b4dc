import { createServer } from 'node:http';
import express from 'express';
import { Pool } from 'pg';
import { listSql, searchSql } from '../../src/modules/catalogue/catalogue.store.ts';

/**
 * A bare Express handler that runs the catalogue's own statement for each request and sends the
 * rows as JSON, without prices, limits, log and spelling correction.
 */
const { PORT: port, DATABASE_URL: connectionString } = process.env;
const pool = new Pool({ connectionString, max: 10 });
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
app.get('/v1/products', async (req, res) => {
  const { q, page = '1', limit = '20' } = req.query;
  const filter = { isActive: true };
  const bounds = { limit: Number(limit), offset: (Number(page) - 1) * Number(limit) };
  const query =
    typeof q === 'string'
      ? searchSql({ corrected: `${q}:*`, typed: q }, filter, bounds)
      : listSql(filter, bounds);
  const { rows } = await pool.query(query.text, [...query.values]);
  res.json({ items: rows, page: Number(page), limit: Number(limit) });
});
createServer(app).listen(Number(port), '127.0.0.1');
