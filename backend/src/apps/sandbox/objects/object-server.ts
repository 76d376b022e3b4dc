import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router, type Request, type Response } from 'express';
import { z } from 'zod';

/** The only bucket. A caller with the access key may do everything in it. */
const bucket = 'objects';
const accessKeyId = 'dev-only-objects-key-id';
const maxBytes = '32mb';

const fileWire = z.object({ contentType: z.string(), base64: z.string() });

interface StoredFile {
  readonly contentType: string;
  readonly bytes: Buffer;
}

interface Files {
  get(key: string): StoredFile | undefined;
  put(key: string, file: StoredFile): void;
  delete(key: string): void;
}

const inMemory = (): Files => {
  const files = new Map<string, StoredFile>();
  return {
    get: (key) => files.get(key),
    put: (key, file) => void files.set(key, file),
    delete: (key) => void files.delete(key),
  };
};

/** Keeps each object in a file named by a hash, since a key is not a path. */
const inFolder = (folder: string): Files => {
  mkdirSync(folder, { recursive: true });
  const pathOf = (key: string): string =>
    join(folder, createHash('sha256').update(key).digest('hex'));
  return {
    get(key) {
      if (!existsSync(pathOf(key))) return undefined;
      const { contentType, base64 } = fileWire.parse(JSON.parse(readFileSync(pathOf(key), 'utf8')));
      return { contentType, bytes: Buffer.from(base64, 'base64') };
    },
    put(key, { contentType, bytes }) {
      const staging = `${pathOf(key)}.new`;
      writeFileSync(staging, JSON.stringify({ contentType, base64: bytes.toString('base64') }));
      renameSync(staging, pathOf(key));
    },
    delete: (key) => rmSync(pathOf(key), { force: true }),
  };
};

const refuse = (res: Response, status: number, code: string): void => {
  res.status(status).type('application/xml');
  res.send(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`);
};

const send = (res: Response, file: StoredFile | undefined): void => {
  if (file === undefined) return refuse(res, 404, 'NoSuchKey');
  res.status(200).type(file.contentType).send(file.bytes);
};

const put = (files: Files, key: string, req: Request, res: Response): void => {
  if (req.get('if-none-match') === '*' && files.get(key) !== undefined) {
    return refuse(res, 412, 'PreconditionFailed');
  }
  const body: unknown = req.body;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  files.put(key, { contentType: req.get('content-type') ?? 'application/octet-stream', bytes });
  res.status(200).end();
};

/**
 * Creates an S3-compatible server of one bucket, `objects`, for installations without a volume that
 * all pods can mount. It supports the calls that the service's store makes. It does not check
 * signatures.
 */
export const objectServer = (stateDir: string | undefined): Router => {
  const files = stateDir === undefined ? inMemory() : inFolder(join(stateDir, 'objects'));
  const router = Router();
  router.use(express.raw({ type: () => true, limit: maxBytes }));
  router.use((req, res) => {
    const [, name = '', ...segments] = decodeURIComponent(req.path).split('/');
    const key = segments.join('/');
    const isKnown = req.get('authorization')?.includes(`Credential=${accessKeyId}/`) === true;
    if (!isKnown) return refuse(res, 403, 'InvalidAccessKeyId');
    if (name !== bucket) return refuse(res, 404, 'NoSuchBucket');
    if (key === '') return void res.status(req.method === 'HEAD' ? 200 : 501).end();
    if (req.method === 'PUT') return put(files, key, req, res);
    if (req.method === 'GET' || req.method === 'HEAD') return send(res, files.get(key));
    if (req.method !== 'DELETE') return refuse(res, 405, 'MethodNotAllowed');
    files.delete(key);
    res.status(204).end();
  });
  return router;
};
