import { z } from 'zod';

const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');

/** The error body of every call to Razorpay and RazorpayX, which share it. */
export const razorpayErrorAnswer = z.object({
  error: z.object({ code: text, description: text }),
});
