import { Injectable } from '@nestjs/common';
import {
  DAV_CLIENT_DESCRIPTION,
  DAV_CLIENT_HEADER,
  DAV_CLIENT_LOGO,
  DAV_CLIENT_PRODUCT,
  DAV_CLIENT_SUPPORT_LINK,
  DAV_CLIENT_SUPPORT_TEXT,
  DAV_CLIENT_SUPPORT_TITLE,
  type DavClientConfigResponse,
  type Property,
} from '@groupware/contracts';
import { Logger, Properties, type PropertyOwner } from '@groupware/service-kit';
import { isDisplayableImage } from './domain/image';

const log = Logger.for('admin.davclient');

/** Appearance of the DAV client for a user, from the cascade. */
@Injectable()
export class DavClientAppearance {
  private readonly complained = new Set<string>();

  constructor(private readonly properties: Properties) {}

  /** Looks and help; what is empty is left out. */
  async resolveAppearance(
    owner: PropertyOwner,
  ): Promise<Pick<DavClientConfigResponse, 'customization' | 'supportInfos'>> {
    const read = (entries: Readonly<Record<string, Property<string>>>) => this.readValues(entries, owner);
    const [texts, images, supportInfos] = await Promise.all([
      read({ productName: DAV_CLIENT_PRODUCT, description: DAV_CLIENT_DESCRIPTION }),
      read({ logoImage: DAV_CLIENT_LOGO, headerImage: DAV_CLIENT_HEADER }),
      read({
        linkDestination: DAV_CLIENT_SUPPORT_LINK,
        linkTitle: DAV_CLIENT_SUPPORT_TITLE,
        description: DAV_CLIENT_SUPPORT_TEXT,
      }),
    ]);
    const shown = Object.entries(images).filter(([name, text]) => isDisplayableImage(text) || this.logInvalid(name));
    return { customization: { ...texts, ...Object.fromEntries(shown) }, supportInfos };
  }

  private async readValues(
    entries: Readonly<Record<string, Property<string>>>,
    owner: PropertyOwner,
  ): Promise<Record<string, string>> {
    const values = await Promise.all(
      Object.entries(entries).map(
        async ([name, property]) => [name, await this.properties.get(property, owner)] as const,
      ),
    );
    return Object.fromEntries(values.filter(([, text]) => text !== ''));
  }

  private logInvalid(name: string): false {
    if (!this.complained.has(name)) {
      this.complained.add(name);
      log.warn(
        { image: name },
        'an image of the DAV client is too large or neither https: nor data:image: it is left out',
      );
    }
    return false;
  }
}
