import { defineVariables } from '../../platform/config/config.ts';
import { z } from 'zod';
import { flag, integer, list, optionalFlag, secret } from '../../platform/config/kinds.ts';

/** Further variables of the customer API. */
export const customerVariables = defineVariables({
  KYC_WEBHOOK_SECRETS: {
    schema: list('').pipe(z.array(secret())),
    doc: "comma-separated secrets that sign the KYC provider's webhooks; without one none is taken",
    secret: true,
  },
  KYC_REQUIRES_DATE_OF_BIRTH: {
    schema: flag(false),
    doc: 'true where KYC needs a date of birth; one that is given is always that of an adult',
  },
  OTP_SENDS_PER_ADDRESS_HOUR: {
    schema: integer(60, 1, 100_000),
    doc: 'one-time codes sent in an hour for one address (an IPv6 /64)',
  },
  OTP_SENDS_PER_NETWORK_HOUR: {
    schema: integer(600, 1, 1_000_000),
    doc: 'one-time codes sent in an hour for the /48 of an IPv6 client',
  },
  SMS_PER_MINUTE: {
    schema: integer(600, 1, 1_000_000),
    doc: 'one-time codes sent in a minute in all',
  },
  SMS_CUSTOMER_SHARE_PERCENT: {
    schema: integer(50, 0, 99),
    doc: "percent of each minute's one-time codes that are kept for numbers that are customers'",
  },
  SIGN_IN_REFUSALS_PER_ADDRESS_HOUR: {
    schema: integer(20, 1, 100_000),
    doc: 'refused codes and MPINs in an hour of one address (an IPv6 /56), but of trusted devices',
  },
  MPIN_TRUSTED_DEVICES_ONLY: {
    schema: flag(false),
    doc: 'an MPIN signs in on devices alone that signed in by code; else for customers who have one',
  },
  MPIN_REFUSE_COMMON: {
    schema: optionalFlag(),
    doc: 'a new MPIN that many people choose is refused; true in production unless given, else false',
  },
  SESSIONS_PER_CUSTOMER: {
    schema: integer(20, 1, 1000),
    doc: 'live sessions of a customer; one more ends the oldest',
  },
  TICKET_ANSWER_DAYS: {
    schema: integer(7, 1, 365),
    doc: 'days in which a ticket is to be resolved; a grievance has 30',
  },
  MINIMUM_APP_VERSION: {
    schema: z
      .string()
      .regex(/^\d{1,5}(?:\.\d{1,5}){0,2}$/u, 'must be a version such as 3.2.0')
      .optional(),
    doc: 'the smallest version of the apps that still works, shown by GET /config; none unless given',
  },
  WEBHOOK_BODY_BYTES: {
    schema: integer(262_144, 16_384, 16_777_216),
    doc: 'cap of the body of a webhook',
  },
  WEBHOOK_REFUSALS_PER_MINUTE: {
    schema: integer(60, 1, 100_000),
    doc: 'refused webhooks of one address in a minute, before it is refused without being read',
  },
  DELETED_PHONE_COOLDOWN_DAYS: {
    schema: integer(30, 1, 3650),
    doc: "days in which a deleted account's number may open no new account",
  },
  OPEN_DELIVERIES_PER_CUSTOMER: {
    schema: integer(20, 1, 100_000),
    doc: 'orders of jewellery of a customer that are neither delivered, cancelled nor returned',
  },
  SOCKETS_PER_ADDRESS: {
    schema: integer(200, 1, 100_000),
    doc: 'open sockets of the price feed that one address (an IPv6 /64) may have on a replica',
  },
});
