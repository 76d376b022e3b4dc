/** The answer to an event that the inbox takes. */
export const accepted = { status: 200, body: { received: true } };

/** The answer to an event that the inbox already has. */
export const repeated = { status: 200, body: { received: true, duplicate: true } };
