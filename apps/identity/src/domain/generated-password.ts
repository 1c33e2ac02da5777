import { randomInt } from 'node:crypto';
import { findAllowed, LONGEST, type PasswordPolicy } from './password-policy';

const LOWER = 'abcdefghijkmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const DIGITS = '23456789';
/** Characters to draw from, the best first; letters and digits that look alike are left out. */
const ALPHABETS = [
  [LOWER, UPPER, DIGITS, '-_.+!#%'],
  [LOWER, UPPER, DIGITS],
  [LOWER, DIGITS],
  [UPPER, DIGITS],
  [LOWER],
  [UPPER],
  [DIGITS],
];
/** Length where the policy leaves the choice. */
const LENGTH = 20;
/** Passwords tried of each length and alphabet. */
const TRIES = 5;

/** A password that the policy allows; undefined when none was found. */
export function generatePassword(policy: PasswordPolicy): string | undefined {
  const most = policy.maxLength > 0 ? policy.maxLength : LONGEST;
  const least = Math.max(policy.minLength, 1);
  if (least > most) return undefined;
  const length = Math.min(Math.max(LENGTH, least), most);
  // A pattern may want another length: shorter ones are tried only when no longer one fits.
  const lengths = [
    length,
    ...range(length + 1, Math.min(most, length + LENGTH)),
    ...range(least, length - 1).reverse(),
  ];
  if (policy.pattern === '') return draw(ALPHABETS[0]!, length);
  for (const each of lengths) {
    const drawn = ALPHABETS.flatMap((classes) => Array.from({ length: TRIES }, () => draw(classes, each)));
    const found = drawn[findAllowed(drawn, policy.pattern)];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One character of each class, the rest of all, in any order. */
function draw(classes: readonly string[], length: number): string {
  const all = classes.join('');
  const characters = Array.from({ length }, (_each, index) => pick(classes[index] ?? all));
  for (let index = length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    [characters[index], characters[other]] = [characters[other]!, characters[index]!];
  }
  return characters.join('');
}

const pick = (from: string): string => from[randomInt(from.length)]!;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
