import { z } from 'zod';
import { demoDocuments } from '../demo-documents.ts';
import type { DemoCustomer, DemoOperator } from '../demo.types.ts';
import { expectThat } from '../step-failure.ts';
import { kycWire, pageWire } from '../wire.ts';

const uploadedWire = z.object({ documentKey: z.string() });
const queueWire = pageWire(z.object({ id: z.uuid(), userId: z.uuid() }));

export type DocumentKeys = Readonly<Record<(typeof demoDocuments)[number]['kind'], string>>;

/** Uploads the customer's papers; answers the key of each. */
export const uploadDocuments = async ({ api }: DemoCustomer): Promise<DocumentKeys> => {
  const keys = { PAN: '', AADHAAR_FRONT: '', SELFIE: '' };
  for (const document of demoDocuments) {
    const { body } = await api.ask({
      method: 'POST',
      path: '/kyc/documents',
      body: document,
      status: 201,
      read: uploadedWire,
    });
    keys[document.kind] = body.documentKey;
  }
  return keys;
};

/** Submits the customer's KYC; answers its view, with the numbers masked. */
export const submitKyc = async (
  customer: DemoCustomer,
  keys: Omit<DocumentKeys, 'AADHAAR_FRONT'>,
) => {
  const { pan, aadhaar } = customer.numbers;
  const { body } = await customer.api.ask({
    method: 'POST',
    path: '/kyc/submit',
    body: {
      pan,
      aadhaar,
      pincode: '560001',
      documentKey: keys.PAN,
      selfieKey: keys.SELFIE,
      fullName: customer.fullName,
    },
    read: kycWire,
  });
  expectThat(body.status === 'SUBMITTED', `KYC reads ${body.status} after it was submitted`);
  return body;
};

/** The customer's record in the review queue, which may have many before it. */
export const findInQueue = async (operator: DemoOperator, userId: string) => {
  for (let page = 1; ; page += 1) {
    const path = `/kyc?status=SUBMITTED&limit=100&page=${page}`;
    const { body } = await operator.api.ask({ method: 'GET', path, read: queueWire });
    const record = body.items.find((item) => item.userId === userId);
    if (record !== undefined) return { id: record.id, total: body.total };
    expectThat(body.items.length === 100, `the review queue does not have customer ${userId}`);
  }
};

/** Approves the customer; from then on the gold provider knows them. */
export const approveKyc = async (operator: DemoOperator, recordId: string): Promise<void> => {
  const { body } = await operator.api.ask({
    method: 'POST',
    path: `/kyc/${recordId}/approve`,
    read: kycWire,
  });
  expectThat(body.status === 'APPROVED', `KYC reads ${body.status} after it was approved`);
};
