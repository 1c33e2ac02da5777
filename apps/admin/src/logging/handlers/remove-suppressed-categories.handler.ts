import { logging, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SuppressedCategories } from '../suppressed-categories';

type Operation = typeof logging.removeSuppressedCategories;

/** Logs errors of every category with their stack. */
@Handles(logging.removeSuppressedCategories)
export class RemoveSuppressedCategoriesHandler implements Handler<Operation> {
  constructor(private readonly categories: SuppressedCategories) {}

  async handle() {
    await this.categories.setCategories([]);
    return undefined;
  }
}
