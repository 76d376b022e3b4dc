import { createServer } from 'node:http';
import express from 'express';

/** The limit of the benchmark of processes: a server with only Node, Express and one route. */
const app = express();
app.get('/health', (_req, res) => {
  res.json({ status: 'ok' });
});
createServer(app).listen(Number(process.env['PORT']), '127.0.0.1');
