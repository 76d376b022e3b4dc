/** The ways in which a field is left out: it is absent, null, or an empty text. */
export const leftOutForms = ['absent', 'null', 'empty'] as const;
export type LeftOutForm = (typeof leftOutForms)[number];

/**
 * Names the fields of an answer, or of each row of a list, with which the sandbox misbehaves. A
 * field that lies deeper has dots in its name.
 */
export interface AnswerShape {
  /** Optional by the vendor's documents, and replaced by a stand-in in the service. */
  readonly spare?: readonly string[];
  /** Optional by the vendor's documents, and needed by the service. */
  readonly needed?: readonly string[];
  readonly state?: string;
  readonly figure?: string;
}
