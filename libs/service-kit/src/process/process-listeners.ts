import type { Provider } from '@nestjs/common';
import type { ListenerSettings } from '../config/listener-settings';
import type { ProcessSettings } from '../config/process-settings';
import type { HttpMiddleware, Listeners, UpgradeTaker } from '../define-service';
import { HealthController } from '../health/health.controller';
import { ClientAddresses } from '../http/client-address';
import { afterStart, createBareExpress, openListener, type Listener } from '../listener';

/** The listeners of a process: that for operators opens first, that for clients when the services are there. */
export class ProcessListeners implements Listeners {
  readonly public = createBareExpress();
  readonly internal = createBareExpress();
  private middleware?: { readonly public: HttpMiddleware; readonly internal: HttpMiddleware };
  private takeUpgrade?: UpgradeTaker;
  private isStarted = false;

  constructor(
    private readonly settings: ProcessSettings,
    private readonly limits: ListenerSettings,
    private readonly addresses: ClientAddresses,
  ) {}

  answerBefore(middleware: { readonly public: HttpMiddleware; readonly internal: HttpMiddleware }): void {
    this.middleware = middleware;
  }

  onUpgrade(take: UpgradeTaker): void {
    this.takeUpgrade = take;
  }

  /** From now on the internal listener answers everything; until then its probes alone. */
  start(): void {
    this.isStarted = true;
  }

  /** @param providers what the probes are answered from */
  openInternal(providers: readonly Provider[]): Promise<Listener> {
    return openListener({
      ...this.commonOptions(),
      name: 'internal',
      middleware: (request, response, next) =>
        this.isStarted && this.middleware ? this.middleware.internal(request, response, next) : next(),
      instance: afterStart(this.internal, () => this.isStarted),
      controllers: [HealthController],
      providers: [...providers, { provide: ClientAddresses, useValue: this.addresses }],
      port: this.settings.internalPort,
      host: this.settings.internalHost,
      portName: 'INTERNAL_PORT',
    });
  }

  openPublic(): Promise<Listener> {
    return openListener({
      ...this.commonOptions(),
      name: 'public',
      middleware: this.middleware?.public,
      instance: this.public,
      port: this.settings.port,
      host: this.settings.publicHost,
      portName: 'PORT',
      takeUpgrade: this.takeUpgrade,
    });
  }

  private commonOptions() {
    return { limits: this.limits, isProxy: (address: string) => this.addresses.isTrusted(address) };
  }
}
