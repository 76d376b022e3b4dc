/** Masks a phone number except its last four digits. */
export const maskedPhone = (phone: string | null): string | null =>
  phone === null ? null : phone.replaceAll(/\d(?=\d{4})/gu, '•');

/** Masks an email address except its first letter and its domain. */
export const maskedEmail = (email: string | null): string | null =>
  email === null ? null : email.replace(/^(.)[^@]*@/u, '$1•••@');

/** Masks a name except the first letter of each word. */
export const maskedName = (name: string | null): string | null =>
  name === null ? null : name.replaceAll(/(?<=\p{L})\p{L}+/gu, '•••');
