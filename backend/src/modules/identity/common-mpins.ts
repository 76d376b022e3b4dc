/*
 * The MPINs that an attacker would try first. A customer may not choose one of them if the
 * configuration says so (contract: identity-and-kyc > MPIN).
 */

/** The hundred most common MPINs that no rule below finds. */
const commonMpins = new Set(
  `
  1004 2000 2001 2580 0852 1342 1123 1998 1999 1997 1996 1995 1994 1993 1992 1991 1990
  1989 1988 1987 1986 1985 1984 1983 1982 1981 1980 1979 1978 1977 1976 1975 1974 1973 1972 1971
  1970 1969 1968 1967 1966 1965 1964 1963 1962 2002 2003 2004 2005 2006 2007 2008 2009 2010 2011 2012 2024
  2025 2026 1002 1020 1230 1324 1357 2468 1478 1590 0007 0070 0420 4200 0786 7860 1947 1950 5683
  1235 1236 1245 1221 2112 1331 5150 7410 9630 3690 1470 2589 1112 2223 1000 0001 123654 147258
  159753 147852 258456 159357 142536 456789
  `
    .trim()
    .split(/\s+/u),
);

/** Matches one digit, or a group of two or three, that is repeated: 7777, 1212, 123123. */
const repeated = /^(\d{1,3})\1+$/u;
/** Matches digits in pairs: 1122, 112233. */
const paired = /^(?:(\d)\1)+$/u;

/** Digits that go up or down by one, with 0 after 9 and 9 after 0: 4567, 8901, 4321. */
const sequences = ['012345678901234', '432109876543210'];

/** Returns true for an MPIN that many people choose. */
export const isCommonMpin = (mpin: string): boolean =>
  commonMpins.has(mpin) ||
  repeated.test(mpin) ||
  paired.test(mpin) ||
  sequences.some((sequence) => sequence.includes(mpin));
