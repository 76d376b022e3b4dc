/** Leaves the last four digits of a number. */
export const maskedPhone = (phone: string | null): string | null =>
  phone === null ? null : phone.replaceAll(/\d(?=\d{4})/gu, '•');

/** Leaves the first letter and the domain. */
export const maskedEmail = (email: string | null): string | null =>
  email === null ? null : email.replace(/^(.)[^@]*@/u, '$1•••@');

/** Leaves the first letter of each word. */
export const maskedName = (name: string | null): string | null =>
  name === null ? null : name.replaceAll(/(?<=\p{L})\p{L}+/gu, '•••');
