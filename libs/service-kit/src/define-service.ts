import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { EventMessage, EventType, Handler, ModuleContract, Operation, PayloadOf } from '@groupware/contracts';
import type { ClaimStore } from '@groupware/messaging';
import type { MigrationClass, Transaction } from '@groupware/persistence';
import { Controller, Injectable, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import type { Express } from 'express';
import type { SettingsClass } from './config/setting';
import type { DeclaredCheck } from './health/health-checks';

/** Answers a request as Node's HTTP server gives it, or hands it on. */
export type HttpMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** The listeners of a process. */
export interface Listeners {
  /** For clients. */
  readonly public: Express;
  /** For operators, cooperating services and probes. */
  readonly internal: Express;
  /**
   * Has requests answered before the Express applications see them. Express gives every request and response another
   * prototype, which makes all later work on them slow: an empty answer takes four times the CPU time (measured in `bench/`).
   */
  answerBefore(middleware: { readonly public: HttpMiddleware; readonly internal: HttpMiddleware }): void;
  /** Takes the upgrades (RFC 9110, section 7.8) that clients ask the public listener for; without a taker they are refused. */
  onUpgrade(take: UpgradeTaker): void;
}

/** Takes over the connection of a request that asks for an upgrade. */
export type UpgradeTaker = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Runs when its process has answered `ready`. */
export type AfterStart = (module: ModuleRef) => Promise<void>;

/** Options of a service. */
export interface ServiceOptions {
  /** Name of the service: queue group, schema, label. */
  readonly name: string;
  /** Contracts whose operations this service answers. */
  readonly contracts?: readonly ModuleContract[];
  /** True for the edge, which calls every operation on behalf of users. */
  readonly callsForClients?: boolean;
  /** Operations of clients or operators that this service calls; those between services need no mention. */
  readonly calls?: readonly Operation[];
  /** Folder with `handlers/` and `consumers/`, its own or one in each folder of an area: pass `__dirname`. */
  readonly directory: string;
  /** Handlers that are not in the folder, such as those of a kit. */
  readonly handlers?: readonly Type[];
  /** Consumers that are not in the folder. */
  readonly consumers?: readonly Type[];
  /** Steps of the schema; without them the service has no database. */
  readonly migrations?: readonly MigrationClass[];
  /** True for data that all contexts share: it stays on the default shard. */
  readonly onDefaultShard?: boolean;
  readonly providers?: readonly Provider[];
  readonly imports?: readonly (Type | DynamicModule)[];
  /** Settings of the module. */
  readonly config?: SettingsClass | readonly SettingsClass[];
  /** Mounts HTTP handlers; runs before the listeners open. */
  readonly http?: (listeners: Listeners, module: ModuleRef) => void | Promise<void>;
  readonly afterStart?: AfterStart;
  /** Runs when the shutdown begins, before listeners close: ends connections that would never end by themselves. */
  readonly beforeDrain?: (module: ModuleRef) => void | Promise<void>;
  /** Runs at shutdown after the last call and before connections close. */
  readonly beforeClose?: (module: ModuleRef) => Promise<void>;
  /**
   * Store of claims, for a service with calls whose effects are not in the database (`idempotency: 'claimed'`).
   */
  readonly claims?: (module: ModuleRef) => ClaimStore;
  /**
   * Checks of what the service depends on, for /health; each rejects when its dependency is down. Only those that are
   * required count for /ready. The service's own database and the bus are checked without a word here.
   */
  readonly checks?: (module: ModuleRef) => Readonly<Record<string, DeclaredCheck>>;
}

/** A service as the host loads it. */
export interface ServiceDefinition extends ServiceOptions {
  readonly contracts: readonly ModuleContract[];
}

/** Declares a service; `apps/<module>/src/index.ts` exports it as `service`. */
export const defineService = (options: ServiceOptions): ServiceDefinition => ({ contracts: [], ...options });

const OPERATION = Symbol('operation');
const EVENTS = Symbol('events');
const IS_BATCH = Symbol('batch');

type HandlerClass<O> = new (...dependencies: never[]) => Handler<O>;

/** Marks the handler of an operation. */
export const Handles =
  <O extends Operation<never, never, never, never> | object>(operation: O) =>
  (type: HandlerClass<O>): void => {
    Controller()(type);
    Reflect.defineMetadata(OPERATION, operation, type);
    const method = Object.getOwnPropertyDescriptor(type.prototype, 'handle');
    MessagePattern((operation as unknown as Operation).subject)(type.prototype, 'handle', method!);
  };

/** The operation a class handles, or undefined. */
export const findOperation = (type: Type): Operation | undefined => Reflect.getMetadata(OPERATION, type);

/** Reacts to one event. Runs in a transaction that also notes the event, so each event takes effect once. */
export interface Consumer<E, Prepared = undefined> {
  /** Asks other services what the effect needs, before the transaction begins. */
  prepare?(message: EventMessage<PayloadOf<E> & object>): Promise<Prepared>;
  /** The effect on the module's own data, once per event. */
  handle?(message: EventMessage<PayloadOf<E> & object>, tx: Transaction, prepared: Prepared): Promise<void>;
  /**
   * Effects elsewhere, such as on sessions: no transaction waits for them. When they fail, the event comes again and they are
   * tried again, though {@link handle} is not: they must be safe to repeat.
   */
  afterCommit?(message: EventMessage<PayloadOf<E> & object>): Promise<void>;
}

/** Marks the consumer of an event. */
export const Consumes =
  <P extends object>(event: EventType<P>) =>
  (type: new (...dependencies: never[]) => Consumer<EventType<P>, unknown>): void => {
    Injectable()(type);
    Reflect.defineMetadata(EVENTS, [event], type);
  };

/**
 * Reacts to events of several names, many at once: those of one context in the order in which they were published,
 * whatever their names. Runs in a transaction that also notes the events, so each takes effect once; when it fails, each
 * event comes again by itself.
 */
export interface BatchConsumer<Prepared = undefined> {
  /** Asks other services what the effect needs, before the transaction begins. */
  prepare?(messages: readonly EventMessage[]): Promise<Prepared>;
  handleBatch(messages: readonly EventMessage[], tx: Transaction, prepared: Prepared): Promise<void>;
}

/** Marks the consumer of events of several names. */
export const ConsumesBatches =
  (...events: readonly EventType[]) =>
  (type: new (...dependencies: never[]) => BatchConsumer<unknown>): void => {
    Injectable()(type);
    Reflect.defineMetadata(EVENTS, events, type);
    Reflect.defineMetadata(IS_BATCH, true, type);
  };

/** The events a class consumes; none for other classes. */
export const listEvents = (type: Type): readonly EventType[] => Reflect.getMetadata(EVENTS, type) ?? [];

/** Whether a class consumes many events at once. */
export const isBatchConsumer = (type: Type): boolean => Reflect.getMetadata(IS_BATCH, type) === true;
