import { logging, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SuppressedCategories } from '../suppressed-categories';

type Operation = typeof logging.setSuppressedCategories;

/** Replaces the categories of errors that are logged without stack. */
@Handles(logging.setSuppressedCategories)
export class SetSuppressedCategoriesHandler implements Handler<Operation> {
  constructor(private readonly categories: SuppressedCategories) {}

  async handle({ body }: CallOf<Operation>) {
    return this.categories.setCategories(body);
  }
}
