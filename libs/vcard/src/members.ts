import type { CardProperty } from './card';
import type { CardMember } from './card-contact';
import { unescapeText } from './text-values';

const MAILTO = /^mailto:/i;
/** Parameters that hold the name of a member. */
const NAME = /^(?:display-name|(?:x-)?cn|x-[a-z]+-fn)$/;

/** Whether a card describes a group of people. */
export const isGroup = (properties: readonly CardProperty[]): boolean =>
  properties.some(({ name, value }) => name === 'KIND' && value.trim().toLowerCase() === 'group');

/** Whether a property is a member that is known by a mail address. */
export const isMailMember = ({ name, value }: CardProperty): boolean => name === 'MEMBER' && MAILTO.test(value);

/** Reads the members of a group that are known by a mail address. */
export function readMembers(properties: readonly CardProperty[]): CardMember[] {
  return properties.filter(isMailMember).map(({ value, parameters }) => {
    const [, [displayName] = []] = Object.entries(parameters).find(([name]) => NAME.test(name)) ?? [];
    return { mail: decodeMail(unescapeText(value.replace(MAILTO, ''))), ...(displayName && { displayName }) };
  });
}

function decodeMail(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes a member of a group. */
export const toMember = ({ mail, displayName }: CardMember): CardProperty => ({
  name: 'MEMBER',
  parameters: displayName === undefined ? {} : { 'display-name': [displayName] },
  value: `mailto:${encodeURIComponent(mail).replace('%40', '@')}`,
});
