import type { DirectoryUser, UserPrincipal } from '@groupware/contracts';

/** A user in whose name something happens without a session of his: rights are checked as if he called himself. */
export const toUserPrincipal = (contextId: number, user: DirectoryUser): UserPrincipal => ({
  kind: 'user',
  contextId,
  userId: user.id,
  groups: user.groups,
  locale: user.locale,
  timeZone: user.timeZone,
  capabilities: user.capabilities,
  login: user.name,
  displayName: user.displayName,
  email: user.email,
  sessionId: '',
});
