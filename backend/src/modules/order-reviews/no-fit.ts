import { AppError } from '../../platform/errors/app-error.ts';
import type { GoldOrder } from '../orders/index.ts';

/** 409: the resolution does not fit the order, or no longer does. */
export const noFit = (message: string): AppError => new AppError('ILLEGAL_TRANSITION', { message });

/** 409: what is asked for can't be judged while an earlier attempt is undecided. */
export const undecided = (message?: string): AppError =>
  new AppError('OUTCOME_UNDECIDED', message === undefined ? {} : { message });

/** 503: who knows the answer can't be asked. */
export const notAnswered = (who: string): AppError =>
  new AppError('SERVICE_UNAVAILABLE', { message: `${who} does not answer right now.` });

/** The two ways in which an order of any type is under review. */
export const isUnderReview = ({ type, status, manualReviewCode }: GoldOrder): boolean =>
  type === 'SELL' ? status === 'VERIFIED' && manualReviewCode !== null : status === 'MANUAL_REVIEW';
