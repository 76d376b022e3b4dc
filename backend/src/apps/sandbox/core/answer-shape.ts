/** The ways in which a field is left out: it is absent, null, or an empty text. */
export const leftOutForms = ['absent', 'null', 'empty'] as const;
export type LeftOutForm = (typeof leftOutForms)[number];

/**
 * Names the fields of an answer, or of each row of a list, that the sandbox leaves out or changes
 * as a fault. The name of a nested field is a dotted path.
 */
export interface AnswerShape {
  /**
   * The fields that are optional in the vendor's documents, and for which the service has a
   * substitute.
   */
  readonly spare?: readonly string[];
  /** The fields that are optional in the vendor's documents, but that the service needs. */
  readonly needed?: readonly string[];
  readonly state?: string;
  readonly figure?: string;
}
