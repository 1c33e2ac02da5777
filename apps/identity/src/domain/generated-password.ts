import { randomInt } from 'node:crypto';
import { findAllowed, LONGEST, type PasswordPolicy } from './password-policy';

const LOWER = 'abcdefghijkmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const DIGITS = '23456789';
/** Alphabets by preference, without look-alike characters. */
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
/** Attempts per length and alphabet. */
const TRIES = 5;

/** A password that the policy allows; undefined when none was found. */
export async function generatePassword(policy: PasswordPolicy): Promise<string | undefined> {
  const most = policy.maxLength > 0 ? policy.maxLength : LONGEST;
  const least = Math.max(policy.minLength, 1);
  if (least > most) return undefined;
  const length = Math.min(Math.max(LENGTH, least), most);
  // A pattern may want another length: shorter ones are tried only when no longer one fits.
  const lengths = [
    length,
    ...createRange(length + 1, Math.min(most, length + LENGTH)),
    ...createRange(least, length - 1).reverse(),
  ];
  if (policy.pattern === '') return drawPassword(ALPHABETS[0]!, length);
  for (const each of lengths) {
    const drawn = ALPHABETS.flatMap((classes) => Array.from({ length: TRIES }, () => drawPassword(classes, each)));
    const found = drawn[await findAllowed(drawn, policy.pattern)];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Draws one character of each class and the rest from all, shuffled. */
function drawPassword(classes: readonly string[], length: number): string {
  const all = classes.join('');
  const characters = Array.from({ length }, (_each, index) => pickCharacter(classes[index] ?? all));
  for (let index = length - 1; index > 0; index--) {
    const other = randomInt(index + 1);
    [characters[index], characters[other]] = [characters[other]!, characters[index]!];
  }
  return characters.join('');
}

const pickCharacter = (from: string): string => from[randomInt(from.length)]!;

const createRange = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
