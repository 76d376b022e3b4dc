import { z } from 'zod';

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');

/** Reads the error body of every call to Razorpay and RazorpayX, which have it in common. */
export const razorpayErrorAnswer = z.object({
  error: z.object({ code: text, description: text }),
});
