import { action, allowCallers, defineModule, Field, jsonListOf, jsonValue, many, PASSWORD_SCOPE, value } from '../kit';
import { DirectoryErrors } from '../identity/identity.errors';
import { ConfigErrors, JslobErrors, settingLimits } from './settings.errors';

/** The service whose trees are asked where a call names none. */
export const DEFAULT_JSLOB_SERVICE = 'com.example.jslob.config';

/** Most trees of one request. */
export const MAX_LISTED_TREES = 200;

/** Which space of trees a call is about. */
export class JslobQuery {
  @Field.text({ doc: 'Space of the trees; default com.example.jslob.config', optional: true, maxLength: 128 })
  serviceId?: string;
}

/** Which tree a call changes. */
export class JslobChangeQuery extends JslobQuery {
  @Field.text({ doc: 'Name of the tree, such as io.ox/core', minLength: 1, maxLength: 128 }) id!: string;
}

/** A tree of settings. */
export class JslobData {
  @Field.text({ doc: 'Name of the tree' }) id!: string;
  @Field.any({ doc: 'The settings: those of the user over those of the server' }) tree!: Record<string, unknown>;
  @Field.any({ doc: 'Mirrors the tree: `configurable` is false at settings that only the server sets' })
  meta!: Record<string, unknown>;
}

const common = {
  auth: 'session',
  appScopes: [PASSWORD_SCOPE],
  guests: true,
  access: allowCallers('reaches the trees of the caller alone'),
} as const;
/** Language and time zone are kept with the user; values of other settings are those of the configuration tree. */
const refusals = [DirectoryErrors.notALocale, DirectoryErrors.notATimeZone, ConfigErrors.invalidValue];

/** Settings that clients keep as trees, one per name, and those that the server gives them (API page "Platform", jslob). */
export const jslob = defineModule(
  'jslob',
  {
    all: action({
      ...common,
      http: 'GET',
      doc: 'All trees of the user, and those that the server has settings for',
      query: JslobQuery,
      reply: many(JslobData),
      errors: [JslobErrors.unknownService],
    }),
    list: action({
      ...common,
      http: 'PUT',
      reads: true,
      coalesces: true,
      doc: 'The named trees in the order asked; a name that was never stored has an empty tree',
      query: JslobQuery,
      body: jsonListOf<string>('text', { maxItems: MAX_LISTED_TREES }),
      reply: many(JslobData),
      errors: [JslobErrors.unknownService],
    }),
    set: action({
      ...common,
      http: 'PUT',
      doc: 'Replaces a tree; null or an empty body removes what the user stored. Settings that only the server sets stay, with a warning',
      query: JslobChangeQuery,
      body: jsonValue({ required: false }),
      reply: value<undefined>('nothing'),
      errors: [JslobErrors.unknownService, JslobErrors.fixed, ...refusals, ...settingLimits],
    }),
    update: action({
      ...common,
      http: 'PUT',
      doc: 'Merges objects into a tree: other values replace, null removes. With `path` and `value` it sets that place alone',
      query: JslobChangeQuery,
      body: jsonValue(),
      reply: value<undefined>('nothing'),
      errors: [
        JslobErrors.unknownService,
        JslobErrors.missingElement,
        JslobErrors.invalidPath,
        JslobErrors.fixed,
        ...refusals,
        ...settingLimits,
      ],
    }),
  },
  { service: 'settings' },
);
