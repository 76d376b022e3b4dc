/** An announcement that clients show. */
export interface Banner {
  /** The operator's name for it. */
  readonly id: string;
  readonly title: string;
  readonly body: string | null;
  readonly imageUrl: string | null;
  readonly linkUrl: string | null;
  readonly active: boolean;
  /** Lower ones come first. */
  readonly position: number;
  /** Shown from then on, inclusive; from ever where it is null. */
  readonly startsAt: Date | null;
  /** Shown until then, exclusive; for ever where it is null. */
  readonly endsAt: Date | null;
}
