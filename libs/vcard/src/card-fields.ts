import type { CardProperty } from './card';
import { toPlainNumber } from './older-forms';
import { placeOf, readLabels, typesOf } from './property-types';
import { escapeLine, escapeText, readList, readStructured, splitValue, unescapeText } from './text-values';

/** Texts by field; absent where there is none. */
export type FieldTexts = Readonly<Record<string, string>>;

/** Connects a property with the fields of a contact that it carries. */
export interface FieldSlot {
  /** Unique. */
  readonly id: string;
  readonly fields: readonly string[];
  /** The property that a contact without one gets. */
  readonly template: CardProperty;
  /** The texts of a property. */
  read(property: CardProperty): FieldTexts;
  /** The property with other texts; everything else in it stays. */
  write(property: CardProperty, texts: FieldTexts): CardProperty;
}

const NO_PARAMETERS: CardProperty['parameters'] = {};

const property = (name: string, types: readonly string[] = [], value = ''): CardProperty => ({
  name,
  parameters: types.length > 0 ? { type: types } : NO_PARAMETERS,
  value,
});

const withText = (field: string, text: string | undefined): FieldTexts =>
  text === undefined || text.trim() === '' ? {} : { [field]: text };

interface TextForm {
  readonly read: (value: string) => string;
  readonly write: (text: string) => string;
}
const TEXT: TextForm = { read: unescapeText, write: escapeText };
const LINE: TextForm = { read: unescapeText, write: escapeLine };
const LIST: TextForm = {
  read: (value) => readList(value).join(','),
  write: (text) => text.split(',').map(escapeText).join(','),
};

const textSlot = (id: string, field: string, template: CardProperty, { read, write }: TextForm = TEXT): FieldSlot => ({
  id,
  fields: [field],
  template,
  read: ({ value }) => withText(field, read(value)),
  write: (before, texts) => ({ ...before, value: write(texts[field] ?? '') }),
});

/** Fields that are parts of a structured value, by their place in it. */
const structuredSlot = (id: string, template: CardProperty, parts: Readonly<Record<string, number>>): FieldSlot => ({
  id,
  fields: Object.keys(parts),
  template,
  read: ({ value }) => {
    const texts = readStructured(value);
    return Object.assign({}, ...Object.entries(parts).map(([field, at]) => withText(field, texts[at]))) as FieldTexts;
  },
  write: (before, texts) => {
    const values = splitValue(before.value, ';');
    const known = readStructured(before.value);
    for (const [field, at] of Object.entries(parts)) {
      while (values.length <= at) values.push('');
      if ((known[at] ?? '') !== (texts[field] ?? '')) values[at] = escapeText(texts[field] ?? '');
    }
    return { ...before, value: values.join(';') };
  },
});

/** Company, department, and all further parts as the branches. */
const ORGANIZATION: FieldSlot = {
  id: 'ORG',
  fields: ['company', 'department', 'branches'],
  template: property('ORG'),
  read: ({ value }) => {
    const [company, department, ...branches] = readStructured(value);
    return {
      ...withText('company', company),
      ...withText('department', department),
      ...withText('branches', branches.filter((branch) => branch !== '').join(', ')),
    };
  },
  write: (before, texts) => {
    const [company = '', department = '', ...branches] = splitValue(before.value, ';');
    const known = ORGANIZATION.read(before);
    const keep = (field: string, values: readonly string[]): readonly string[] =>
      (known[field] ?? '') === (texts[field] ?? '') ? values : texts[field] ? [escapeText(texts[field])] : [''];
    const parts = [...keep('company', [company]), ...keep('department', [department]), ...keep('branches', branches)];
    while (parts.length > 1 && parts.at(-1) === '') parts.pop();
    return { ...before, value: parts.join(';') };
  },
};

/** The text of an address as one block, whose lines end as in values (RFC 6350 §6.3.1). */
const labelOf = ({ parameters: { label } }: CardProperty): string | undefined => label && unescapeText(label.join(','));

function addressSlot(place: string, block: string, types: readonly string[]): FieldSlot {
  const parts = structuredSlot(`ADR ${place}`, property('ADR', types, ';;;;;;'), {
    [`street_${place}`]: 2,
    [`city_${place}`]: 3,
    [`state_${place}`]: 4,
    [`postal_code_${place}`]: 5,
    [`country_${place}`]: 6,
  });
  return {
    ...parts,
    fields: [...parts.fields, block],
    read: (before) => ({ ...parts.read(before), ...withText(block, labelOf(before)) }),
    write: (before, texts) => {
      const { label, ...parameters } = before.parameters;
      const text = texts[block];
      const after: CardProperty['parameters'] =
        text === undefined ? {} : { label: labelOf(before) === text ? label! : [escapeLine(text)] };
      return { ...parts.write(before, texts), parameters: { ...parameters, ...after } };
    },
  };
}

const ADDRESSES: Readonly<Record<string, FieldSlot>> = {
  business: addressSlot('business', 'addressBusiness', ['WORK']),
  home: addressSlot('home', 'addressHome', ['HOME']),
  other: addressSlot('other', 'addressOther', ['X-OTHER']),
};

const EMAILS = [
  textSlot('EMAIL 1', 'email1', property('EMAIL', ['WORK', 'PREF']), LINE),
  textSlot('EMAIL 2', 'email2', property('EMAIL', ['HOME']), LINE),
  textSlot('EMAIL 3', 'email3', property('EMAIL', ['X-OTHER']), LINE),
] as const;
const TELEX = textSlot('EMAIL TLX', 'telephone_telex', property('EMAIL', ['TLX']), LINE);

const MESSENGERS = [
  textSlot('IMPP 1', 'instant_messenger1', property('IMPP', ['WORK']), LINE),
  textSlot('IMPP 2', 'instant_messenger2', property('IMPP', ['HOME']), LINE),
] as const;

function telephone(field: string, ...types: readonly string[]): FieldSlot {
  const number = textSlot(`TEL ${field}`, field, property('TEL', types), LINE);
  return {
    ...number,
    read: (before) => number.read(toPlainNumber(before)),
    write: (before, texts) => number.write(toPlainNumber(before), texts),
  };
}

/** Numbers of a kind that there may be one of. */
const TELEPHONES = {
  callback: telephone('telephone_callback', 'X-CALLBACK'),
  company: telephone('telephone_company', 'X-COMPANY'),
  assistant: telephone('telephone_assistant', 'X-ASSISTANT'),
  ip: telephone('telephone_ip', 'X-IP'),
  radio: telephone('telephone_radio', 'X-RADIO'),
  primary: telephone('telephone_primary', 'X-PRIMARY'),
  pager: telephone('telephone_pager', 'PAGER'),
  isdn: telephone('telephone_isdn', 'ISDN'),
  car: telephone('telephone_car', 'CAR'),
  ttytdd: telephone('telephone_ttytdd', 'TEXTPHONE'),
  other: telephone('telephone_other', 'X-OTHER', 'VOICE'),
  faxBusiness: telephone('fax_business', 'WORK', 'FAX'),
  faxHome: telephone('fax_home', 'HOME', 'FAX'),
  faxOther: telephone('fax_other', 'X-OTHER', 'FAX'),
} as const;
/** Numbers of a kind that there may be two of: the second one says so. */
const PAIRS = {
  cell: [telephone('cellular_telephone1', 'CELL'), telephone('cellular_telephone2', 'CELL', 'X-2ND')],
  work: [telephone('telephone_business1', 'WORK', 'VOICE'), telephone('telephone_business2', 'WORK', 'VOICE', 'X-2ND')],
  home: [telephone('telephone_home1', 'HOME', 'VOICE'), telephone('telephone_home2', 'HOME', 'VOICE', 'X-2ND')],
} as const;

/** Kinds of numbers by the types that tell them, the most telling first. */
const NUMBER_TYPES: readonly (readonly [RegExp, keyof typeof TELEPHONES])[] = [
  [/^x-callback$|^callback$/, 'callback'],
  [/^x-company$|^company$|^x-ms-company$/, 'company'],
  [/^x-assistant$|^assistant$/, 'assistant'],
  [/^x-ip$/, 'ip'],
  [/^x-radio$|^radio$/, 'radio'],
  [/^x-primary$|^main$/, 'primary'],
  [/^pager$/, 'pager'],
  [/^isdn$/, 'isdn'],
  [/^car$/, 'car'],
  [/^textphone$|^(?:x-)?tty-?tdd$/, 'ttytdd'],
];

const extension = (part: string): string => `X-SVC-${part}`;
/** Fields whose property any vendor may name: `X-<letters>-<part>`; the name of one has two parts. */
const VENDOR_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_none, index) => String(index + 1).padStart(2, '0')).map((number) => [
      `USERFIELD-${number}`,
      `userfield${number}`,
    ]),
  ),
  'ROOM-NUMBER': 'room_number',
  INFO: 'info',
  'NUMBER-OF-EMPLOYEE': 'number_of_employees',
  'BUSINESS-CATEGORY': 'business_category',
  'COMMERCIAL-REGISTER': 'commercial_register',
  'TAX-ID': 'tax_id',
  'SALES-VOLUME': 'sales_volume',
  'EMPLOYEE-TYPE': 'employee_type',
  'MARITAL-STATUS': 'marital_status',
  'YOMI-COMPANY': 'yomiCompany',
  'COLOR-LABEL': 'color_label',
};
/** People whose name a contact has, by the label that Apple and Google give them. */
const RELATED = {
  assistant: textSlot('assistant', 'assistant_name', property('X-ASSISTANT')),
  manager: textSlot('manager', 'manager_name', property('X-MANAGER')),
  spouse: textSlot('spouse', 'spouse_name', property('X-SPOUSE')),
} as const;

/** Names of properties that carry one text. */
const NAMED: readonly (readonly [RegExp, FieldSlot])[] = [
  [/^FN$/, textSlot('FN', 'display_name', property('FN'))],
  [
    /^N$/,
    structuredSlot('N', property('N', [], ';;;;'), {
      last_name: 0,
      first_name: 1,
      second_name: 2,
      title: 3,
      suffix: 4,
    }),
  ],
  [/^NICKNAME$/, textSlot('NICKNAME', 'nickname', property('NICKNAME'))],
  [/^NOTE$/, textSlot('NOTE', 'note', property('NOTE'))],
  [/^URL$/, textSlot('URL', 'url', property('URL'), LINE)],
  [/^UID$/, textSlot('UID', 'uid', property('UID'), LINE)],
  [/^CATEGORIES$/, textSlot('CATEGORIES', 'categories', property('CATEGORIES'), LIST)],
  [/^ORG$/, ORGANIZATION],
  [/^TITLE$/, textSlot('TITLE', 'position', property('TITLE'))],
  [/^ROLE$/, textSlot('ROLE', 'profession', property('ROLE'))],
  [/^X-(?:MS-|EVOLUTION-|KADDRESSBOOK-(?:X-)?)?ASSISTANT(?:SNAME)?$/, RELATED.assistant],
  [/^X-(?:MS-|EVOLUTION-|KADDRESSBOOK-(?:X-)?)?MANAGER(?:SNAME)?$/, RELATED.manager],
  [/^X-(?:MS-|EVOLUTION-|KADDRESSBOOK-(?:X-)?)?SPOUSE(?:SNAME)?$/, RELATED.spouse],
  [/^X-MS-CHILD$/, textSlot('children', 'number_of_children', property('X-MS-CHILD'))],
  [/^X-PHONETIC-FIRST-NAME$/, textSlot('yomi first', 'yomiFirstName', property('X-PHONETIC-FIRST-NAME'))],
  [/^X-PHONETIC-LAST-NAME$/, textSlot('yomi last', 'yomiLastName', property('X-PHONETIC-LAST-NAME'))],
  ...Object.entries(VENDOR_FIELDS).map(
    ([part, field]) =>
      [new RegExp(`^X-(?:[A-Z]+|OPEN-XCHANGE)-${part}$`), textSlot(part, field, property(extension(part)))] as const,
  ),
];
/** Tells the many names that vendors make up from those that carry a field. */
const ANY_NAMED = new RegExp(NAMED.map(([{ source }]) => source).join('|'));
const MAX_NAME = 64;
const BY_NAME = new Map<string, FieldSlot | undefined>();

/** The slot of a property that carries one text by its name alone. */
function findByName(name: string): FieldSlot | undefined {
  if (name.length > MAX_NAME || !ANY_NAMED.test(name)) return undefined;
  if (!BY_NAME.has(name)) {
    if (BY_NAME.size > 1_000) BY_NAME.clear();
    BY_NAME.set(name, NAMED.find(([pattern]) => pattern.test(name))?.[1]);
  }
  return BY_NAME.get(name);
}

/** All slots, in the order in which a new card gets their properties. */
export const FIELD_SLOTS: readonly FieldSlot[] = [
  ...NAMED.map(([, slot]) => slot),
  ...EMAILS,
  TELEX,
  ...Object.values(PAIRS).flat(),
  ...Object.values(TELEPHONES),
  ...Object.values(ADDRESSES),
  ...MESSENGERS,
];

const isFreeOf =
  (taken: ReadonlyMap<string, number>) =>
  (slot: FieldSlot): boolean =>
    !taken.has(slot.id);

function findEmail(
  types: ReadonlySet<string>,
  hasPlaces: boolean,
  taken: ReadonlyMap<string, number>,
): FieldSlot | undefined {
  if (types.has('tlx')) return TELEX;
  if (types.has('work')) return EMAILS[0];
  if (types.has('home')) return EMAILS[1];
  if (types.has('x-other') || types.has('other')) return EMAILS[2];
  // Addresses without a place come in their order; beside others they fill what is free.
  return (hasPlaces ? [EMAILS[2], EMAILS[0], EMAILS[1]] : EMAILS).find(isFreeOf(taken));
}

/** The field of a number whose types tell it without others. */
function findKind(types: ReadonlySet<string>): FieldSlot | undefined {
  const list = [...types];
  const kind = NUMBER_TYPES.find(([pattern]) => list.some((type) => pattern.test(type)))?.[1];
  return kind && TELEPHONES[kind];
}

function findTelephone(types: ReadonlySet<string>, taken: ReadonlyMap<string, number>): FieldSlot | undefined {
  const list = [...types];
  const kind = findKind(types);
  if (kind) return kind;
  if (list.some((type) => type.endsWith('fax'))) {
    const place =
      types.has('work') || types.has('workfax')
        ? 'faxBusiness'
        : types.has('home') || types.has('homefax')
          ? 'faxHome'
          : 'faxOther';
    return TELEPHONES[place];
  }
  const pair =
    types.has('cell') || types.has('iphone') || types.has('mobile')
      ? PAIRS.cell
      : types.has('work')
        ? PAIRS.work
        : types.has('home')
          ? PAIRS.home
          : undefined;
  if (!pair) return TELEPHONES.other;
  return types.has('x-2nd') ? pair[1] : pair.find(isFreeOf(taken));
}

const PLACES: ReadonlySet<string> = new Set(['work', 'home', 'x-other', 'other']);
/** Properties whose types say which field they carry. */
const TYPED: ReadonlySet<string> = new Set(['EMAIL', 'TEL', 'ADR', 'IMPP', 'X-MS-TEL', 'X-ABRELATEDNAMES']);
const NO_TYPES: ReadonlySet<string> = new Set();

/** Parameter of a property beyond those that a contact has a field for: it carries none, also where the field is empty. */
const SURPLUS = 'x-svc-surplus';

/** The property as one that carries no field. */
export const markSurplus = (property: CardProperty): CardProperty => ({
  ...property,
  parameters: { ...property.parameters, [SURPLUS]: ['1'] },
});

/** The properties of a card that carry fields: their positions by the id of the slot. Others are not known to the model. */
export function assignSlots(properties: readonly CardProperty[]): Map<string, number> {
  const labels = readLabels(properties);
  const assigned = new Map<string, number>();
  const typed = properties.map((each) => (TYPED.has(each.name) ? typesOf(each, labels) : NO_TYPES));
  const isPlaced = (index: number): boolean => [...typed[index]!].some((type) => PLACES.has(type));
  const hasPlaces = properties.some(({ name }, index) => name === 'EMAIL' && isPlaced(index));
  const later: number[] = [];
  const assign = (index: number): void => {
    const each = properties[index]!;
    const slot = findSlot(each, typed[index]!, hasPlaces, assigned);
    if (!slot || assigned.has(slot.id)) return;
    // An empty value leaves its place to another one.
    if (Object.keys(slot.read(each)).length > 0) assigned.set(slot.id, index);
  };
  for (const [index, { name, parameters }] of properties.entries()) {
    if (parameters[SURPLUS]) continue;
    const types = typed[index]!;
    // Those that fill what is free wait for those that say where they belong.
    const isLate =
      (name === 'EMAIL' && hasPlaces && !isPlaced(index) && !types.has('tlx')) ||
      (name === 'TEL' && !types.has('x-2nd'));
    if (isLate) later.push(index);
    else assign(index);
  }
  later.forEach(assign);
  return assigned;
}

function findSlot(
  { name }: CardProperty,
  types: ReadonlySet<string>,
  hasPlaces: boolean,
  taken: ReadonlyMap<string, number>,
): FieldSlot | undefined {
  switch (name) {
    case 'EMAIL':
      return findEmail(types, hasPlaces, taken);
    case 'TEL':
      return findTelephone(types, taken);
    case 'ADR':
      return ADDRESSES[placeOf(types)];
    case 'IMPP':
      if (types.has('work')) return MESSENGERS[0];
      return types.has('home') ? MESSENGERS[1] : MESSENGERS.find(isFreeOf(taken));
    // Outlook has numbers for which version 2.1 has no type in a property of its own, and so its messenger.
    case 'X-MS-TEL':
      return findKind(types);
    case 'X-MS-IMADDRESS':
      return MESSENGERS.find(isFreeOf(taken));
    case 'X-ABRELATEDNAMES':
      return Object.entries(RELATED).find(([label]) => types.has(label))?.[1];
    default:
      return findByName(name);
  }
}

/** Names of the text fields that a card carries, the uid left out. */
export const CARD_TEXT_FIELDS: readonly string[] = FIELD_SLOTS.flatMap(({ fields }) => fields).filter(
  (field) => field !== 'uid' && field !== 'color_label',
);
