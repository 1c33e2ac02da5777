import { CalendarErrors, type ConferenceData, type EventAttachmentData } from '@groupware/contracts';
import {
  type CalendarAttachment,
  isFieldOfEvent,
  type PropertyParameters,
  type RawProperty,
} from '@groupware/icalendar';
import { type IcalendarExtra, isPartName } from '../domain/icalendar-extra';

/** Status of an event that says nothing about it. */
export const DEFAULT_STATUS = 'CONFIRMED';

const CONFERENCE = 'conference';
const RELATED_TO = 'related-to';

const isOf = (names: readonly string[], isListed: boolean) => (property: RawProperty) =>
  names.includes(property[0]) === isListed;

const isConference = (property: RawProperty): boolean => property[0] === CONFERENCE && Boolean(property[3]);

const parametersOf = (value: unknown): PropertyParameters =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name.toLowerCase(), String(each)]))
    : {};

/** Names of parameters have no case in iCalendar; clients look for them as it writes them. */
const toWireParameters = (parameters: PropertyParameters): PropertyParameters =>
  Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name.toUpperCase(), each]));

/** Ids of the conferences of a file, and the last one that was given. */
function conferenceIdsOf({ extraProperties = [], conferenceIds }: IcalendarExtra) {
  const { length } = extraProperties.filter(isConference);
  if (conferenceIds?.ids.length === length) return conferenceIds;
  return { ids: Array.from({ length }, (_, index) => index + 1), last: Math.max(length, conferenceIds?.last ?? 0) };
}

const featuresOf = ([, { feature = [] }]: RawProperty): string[] =>
  (Array.isArray(feature) ? feature : [String(feature)]).flatMap((each) => each.split(','));

/** True for the address of a conference by which its moderators come in (RFC 7986, section 6.3). */
export const isForModerators = (property: RawProperty): boolean =>
  isConference(property) && featuresOf(property).some((each) => each.toUpperCase() === 'MODERATOR');

/** Conferences as events show them; those for moderators on the side of the organizer alone. */
export function toConferences(rest: IcalendarExtra, isModerator = true): ConferenceData[] | undefined {
  const all = (rest.extraProperties ?? []).filter(isConference);
  const { ids } = conferenceIdsOf(rest);
  const found = all.flatMap((property, index): [number, RawProperty][] =>
    isModerator || !isForModerators(property) ? [[ids[index]!, property]] : [],
  );
  if (found.length === 0) return undefined;
  return found.map(([id, property]) => {
    const [, { label, feature: _feature, ...parameters }, , uri] = property;
    return {
      id,
      uri,
      ...(label !== undefined && { label: String(label) }),
      features: featuresOf(property),
      ...(Object.keys(parameters).length > 0 && { extendedParameters: toWireParameters(parameters) }),
    };
  });
}

/** Properties of a file with other conferences. CAL-4006 for one without address. */
export const setConferences = (
  { extraProperties = [] }: IcalendarExtra,
  conferences: readonly ConferenceData[],
): RawProperty[] => [
  ...extraProperties.filter(isOf([CONFERENCE], false)),
  ...conferences.map(({ uri, label, features, extendedParameters }): RawProperty => {
    if (!uri) throw CalendarErrors.badData('conferences', 'one has no uri');
    return [
      CONFERENCE,
      {
        ...parametersOf(extendedParameters),
        ...(label && { label }),
        ...(features && features.length > 0 && { feature: features }),
      },
      'uri',
      uri,
    ];
  }),
];

/** Ids of other conferences: those of an id that the event has keep it, others get one that it never had. */
export function assignConferenceIds(
  rest: IcalendarExtra,
  conferences: readonly ConferenceData[],
): Required<IcalendarExtra>['conferenceIds'] {
  const known = conferenceIdsOf(rest);
  const left = new Set(known.ids);
  let { last } = known;
  const ids = conferences.map(({ id }) => (id !== undefined && left.delete(id) ? id : ++last));
  return { ids, last };
}

/** The series that a split one belonged to. */
export function relatedToOf({ extraProperties = [] }: IcalendarExtra): string | undefined {
  const [, { reltype } = {}, , value] = extraProperties.find(isOf([RELATED_TO], true)) ?? [];
  return reltype === undefined ? value : `${String(reltype)}:${value}`;
}

/** Properties of a file that say what the series belongs to. */
export const setRelatedTo = ({ extraProperties = [] }: IcalendarExtra, value: string): RawProperty[] => [
  ...extraProperties.filter(isOf([RELATED_TO], false)),
  [RELATED_TO, { reltype: 'X-CALENDARSERVER-RECURRENCE-SET' }, 'text', value],
];

/** Properties of a file that have no field, by upper-case name. */
export function toExtendedProperties({ extraProperties = [] }: IcalendarExtra): Record<string, object> | undefined {
  const found = extraProperties.filter(isOf([CONFERENCE, RELATED_TO], false));
  if (found.length === 0) return undefined;
  return Object.fromEntries(
    found.map(([name, parameters, , ...values]) => [
      name.toUpperCase(),
      {
        value: values.length > 1 ? values : (values[0] ?? ''),
        ...(Object.keys(parameters).length > 0 && { params: toWireParameters(parameters) }),
      },
    ]),
  );
}

/** Fields of their own, and the bounds of components, are no extended properties. */
const isNamedElsewhere = (name: string): boolean =>
  isFieldOfEvent(name) || ['begin', 'end', CONFERENCE, RELATED_TO].includes(name);

/** Properties of a file with others in place of those that have no field. */
export function setExtendedProperties({ extraProperties = [] }: IcalendarExtra, wanted: unknown): RawProperty[] {
  const kept = extraProperties.filter(isOf([CONFERENCE, RELATED_TO], true));
  const types = new Map(extraProperties.map(([name, , type]) => [name, type]));
  const entries = typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted) ? Object.entries(wanted) : [];
  const added = entries.flatMap(([key, entry]: [string, unknown]): RawProperty[] => {
    const name = key.toLowerCase();
    if (!/^[a-z0-9-]{1,255}$/.test(name) || isNamedElsewhere(name) || entry === null || entry === undefined) return [];
    const { value, params } = (typeof entry === 'object' ? entry : { value: entry }) as {
      value?: unknown;
      params?: unknown;
    };
    const values = (Array.isArray(value) ? value : [value ?? '']).map(String);
    return [[name, parametersOf(params), types.get(name) ?? 'unknown', ...values]];
  });
  return [...added, ...kept];
}

/** Links of a file as attachments of an event. */
export const toLinks = ({ attachments = [] }: IcalendarExtra): EventAttachmentData[] =>
  attachments.flatMap(({ uri, fileName, formatType, size }) =>
    uri === undefined || isPartName(uri)
      ? []
      : [
          {
            uri,
            ...(fileName !== undefined && { filename: fileName }),
            ...(formatType !== undefined && { fmtType: formatType }),
            ...(size !== undefined && { size }),
          },
        ],
  );

/** Attachments of a file with other links. */
export const setLinks = (
  { attachments = [] }: IcalendarExtra,
  links: readonly EventAttachmentData[],
): CalendarAttachment[] => [
  ...attachments.filter(({ uri }) => uri === undefined),
  ...links.map(({ uri, filename, fmtType, size }) => ({
    uri: uri!,
    ...(filename && { fileName: filename }),
    ...(fmtType && { formatType: fmtType }),
    ...(size != null && { size }),
  })),
];
