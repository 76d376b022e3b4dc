import { createServer } from 'node:http';
import express from 'express';

/** The least that a process of this kind can be: node, Express, one route, listening. */
const app = express();
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
createServer(app).listen(Number(process.env['PORT']), '127.0.0.1');
