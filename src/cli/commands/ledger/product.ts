import { type Command, InvalidArgumentError } from 'commander'
import { findProductAt } from '../../../catalogue/changes/product-at.ts'
import { findProducts } from '../../../catalogue/products/find-products.ts'
import { findStoreUuid } from '../../../catalogue/stores/stores.ts'
import { UsageError } from '../../../import/usage-error.ts'
import { timeOf } from '../../../text.ts'
import { jsonFlag, storeOption } from '../../option-values.ts'
import { printResult, snakeCased, tableOf } from '../../output.ts'
import { type CommandContext, requireRecording, withDatabase } from '../../with-database.ts'

interface ShowOptions {
  store: string
  at?: Date
  json: boolean
}

export function addProduct(program: Command): void {
  const product = program.command('product').description('show a product, now or at a time')
  storeOption(product.command('show'))
    .description('show the status and attributes of a product, now or at a time')
    .argument('<code>', 'the code of the product')
    .option('--at <time>', 'as the product was at this time, such as 2026-11-21T10:00:00Z', parseTime)
    .option(...jsonFlag)
    .action(async (code: string, options: ShowOptions) => {
      const found = await withDatabase((context) => find(context, code, options))
      if (!found) {
        const time = options.at ? ` at ${options.at.toISOString()}` : ''
        throw new UsageError(`there is no product ${JSON.stringify(code)}${time}`)
      }
      const { productCode, status, createdAt, updatedAt, attributes } = found
      const fields = snakeCased({ productCode, status, createdAt, updatedAt })
      const cells = [...Object.entries(fields), ...Object.entries(attributes)]
      printResult(options.json, { ...fields, attributes }, tableOf(cells))
    })
}

async function find({ db, catalogue, config }: CommandContext, code: string, { store, at }: ShowOptions) {
  if (at) requireRecording(config)
  const storeUuid = await findStoreUuid(db, store)
  return at ? findProductAt(catalogue, storeUuid, code, at) : (await findProducts(catalogue, storeUuid, [code]))[0]
}

function parseTime(text: string): Date {
  const time = timeOf(text)
  if (time) return time
  throw new InvalidArgumentError('It must be a time as RFC 3339, such as 2026-11-21T10:00:00Z.')
}
