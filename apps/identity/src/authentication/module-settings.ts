import type { ClientParameters } from '@groupware/contracts';
import type { AnnouncedCapabilities } from '@groupware/service-kit';
import { toPrincipal, type Session } from '@groupware/sessions';
import { toModuleSettings } from '../domain/config-modules';

/** The settings of modules beside a login, where the client wants them. Nothing before the second factor. */
export function moduleSettingsBeside(
  session: Session,
  { modules }: Pick<ClientParameters, 'modules'>,
  announced: AnnouncedCapabilities,
): { modules?: Record<string, unknown> } {
  const principal = toPrincipal(session);
  return modules && !principal.secondFactorPending
    ? { modules: toModuleSettings(new Set(announced.list(principal))) }
    : {};
}
