/** Text without what could be a part of an account number: runs of four digits and more. */
export const withoutNumbers = (text: string): string => text.replace(/\d{4,}/g, '…');
