import { errorCatalog } from '../kit';

/** Categories of mails (prefix MAIL_CATEGORIES). */
export const MailCategoryErrors = errorCatalog('MAIL_CATEGORIES', {
  disabled: { number: 1, category: 'PERMISSION_DENIED', message: 'There are no mail categories for this user.' },
  unknownCategory: { number: 2, category: 'USER_INPUT', message: 'There is no mail category %1.', http: 404 },
  noFilter: {
    number: 3,
    category: 'PERMISSION_DENIED',
    message: 'Future mails cannot be sorted into categories without the mail filter.',
  },
  noSender: { number: 4, category: 'USER_INPUT', message: 'At least one sender is needed.', http: 400 },
});
