import { GovernorSettings, mailAccessProviders, MailAccessSettings } from '@groupware/mail-access';
import { outboundProviders, OutboundSettings } from '@groupware/outbound';
import { FeedbackExport } from './feedback-export';
import { FeedbackAnonymizer } from './feedback-anonymizer';
import { FeedbackGroups } from './feedback-groups';
import { FeedbackMailer } from './mail/feedback-mailer';
import { CreateFeedback1763920000000 } from './migrations/1763920000000-create-feedback';
import { FeedbackRepository } from './persistence/feedback.repository';

/** Steps of the tables of feedback. */
export const feedbackMigrations = [CreateFeedback1763920000000];

/** Settings of feedback. */
export const feedbackSettings = [OutboundSettings, MailAccessSettings, GovernorSettings];

/** Providers of feedback. */
export const feedbackProviders = [
  ...outboundProviders,
  ...mailAccessProviders,
  FeedbackRepository,
  FeedbackGroups,
  FeedbackExport,
  FeedbackAnonymizer,
  FeedbackMailer,
];
