/** nginx's status for a client that closed the connection before the response. */
export const clientLeftStatus = 499;
