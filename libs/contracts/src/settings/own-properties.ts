import { DEFAULT_STATUS_PRIVATE, DEFAULT_STATUS_PUBLIC } from '../calendar/calendar.properties';
import {
  ALL_FOLDERS_FOR_AUTOCOMPLETE,
  COLLECT_ADDRESSES,
  COLLECT_ON_READING,
  COLLECT_ON_SENDING,
} from '../contacts/contacts.properties';
import type { Property } from '../kit';

/** Properties that users set themselves, as settings of the configuration tree: their modules act by them. */
export const OWN_PROPERTIES: ReadonlyMap<string, Property> = new Map(
  [
    ...[DEFAULT_STATUS_PRIVATE, DEFAULT_STATUS_PUBLIC],
    ...[ALL_FOLDERS_FOR_AUTOCOMPLETE, COLLECT_ADDRESSES, COLLECT_ON_READING, COLLECT_ON_SENDING],
  ].map((property) => [property.key, property]),
);
