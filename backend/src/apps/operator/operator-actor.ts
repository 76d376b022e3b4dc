/** The actor of every change, who may be any person with the database's credentials. */
export const operatorActor = { api: 'system', role: 'OPERATOR_COMMAND' } as const;
