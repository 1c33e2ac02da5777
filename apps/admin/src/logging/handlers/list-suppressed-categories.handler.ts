import { logging, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { SuppressedCategories } from '../suppressed-categories';

type Operation = typeof logging.listSuppressedCategories;

/** Categories of errors that are logged without stack. */
@Handles(logging.listSuppressedCategories)
export class ListSuppressedCategoriesHandler implements Handler<Operation> {
  constructor(private readonly categories: SuppressedCategories) {}

  async handle() {
    return this.categories.listCategories();
  }
}
