import { property, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** Key of what the operator says about one category, `<prefix><category>.flag`. */
export const MAIL_CATEGORY_PREFIX = 'com.example.mail.categories.';

/** Whether inboxes have categories. */
export const MAIL_CATEGORIES = property({
  key: 'com.example.mail.categories',
  default: false,
  scopes: everywhere,
  doc: 'Whether the inbox of the primary account has categories: capability mail_categories. com.example.mail.categories.<category>.flag is the keyword that mails of a category have at the mail server, without which there is none; com.example.mail.categories.<category>.active=false leaves one out unless com.example.mail.categories.<category>.force is true.',
});

/** Categories of the system. */
export const MAIL_CATEGORY_IDS = property<string>({
  key: 'com.example.mail.categories.identifiers',
  default: '',
  scopes: everywhere,
  doc: 'Categories of the system, separated by commas, such as promotion,social,purchases; general is what is in no category, and none of these.',
});

/** Categories of users. */
export const USER_MAIL_CATEGORY_IDS = property<string>({
  key: 'com.example.mail.user.categories.identifiers',
  default: '',
  scopes: everywhere,
  doc: 'Categories that users name themselves, separated by commas, such as uc1,uc2,uc3. A mail in one of these is in none of the system.',
});
