/** The actor of every change: whoever has the database's credentials, not one person. */
export const operatorActor = { api: 'system', role: 'OPERATOR_COMMAND' } as const;
