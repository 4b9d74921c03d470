import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { runCliProcess } from '../support/clients/cli.ts'
import { codeOf } from '../support/clients/http.ts'
import { ask } from '../support/clients/operations.ts'
import { addProducts, newStore } from '../support/factories.ts'
import { useFolder } from '../support/folder.ts'
import { Random } from '../support/random.ts'
import { type Program, startProgram } from '../support/servers/program.ts'
import { isLong, seed } from './support/scale.ts'

const kills = isLong ? 20 : 2
const writers = 8
const products = 400
const folder = useFolder('each')

interface Progress {
  projections: { isBuilding: boolean }[]
}

it(`derives what the products are after ${kills} kills of the gateway and of the server each (seed ${seed})`, {
  timeout: 300_000,
}, async () => {
  const random = new Random(seed)
  const pick = <Item>(items: readonly Item[]) => items[random.below(items.length)]
  const dataDir = folder.file('data')
  const start = () => startProgram(['serve'], { DATA_DIR: dataDir, BOOTSTRAP_TOKEN: 'a-token-for-kills' })
  let program: Program = await start()
  onTestFinished(async () => {
    await program.end('SIGTERM')
  })
  const storeUuid = await newStore(program)
  let isOver = false
  let isDeclaring = true
  let written = 0
  let declared = 0
  let made = 0
  /** Repeats work on whatever gateway runs. What fails while one is killed is done, or not. */
  const repeat = async (work: () => Promise<unknown>, isGoingOn = () => !isOver) => {
    while (isGoingOn()) await work().catch(codeOf)
  }
  const write = async () => {
    // What is lost of those that are written once stays lost.
    const some = Array.from({ length: 20 }, (_, i) => ({
      productCode: i < 5 ? `once-${made++}` : `sku-${random.below(products)}`,
      attributes: { A: pick(['1', '2.5', 'x', 'É'.repeat(300)]), B: pick(['9', '10', '']), C: pick(['red', 'Red']) },
    }))
    const unique = [...new Map(some.map((one) => [one.productCode, one])).values()]
    await addProducts(program, storeUuid, unique)
    await ask(program, 'deleteProducts', { storeUuid, productCodes: [`sku-${random.below(products)}`] })
    written++
  }
  const declare = async () => {
    const definitions = random.some(['A', 'B', 'C'], 2).map((name) => {
      const [filterable, searchable] = [random.below(3) > 0, random.below(3) === 0]
      // The type is not that of all values: they are there before.
      return { name, type: pick(['TEXT', 'TEXT', 'NUMBER']), filterable, searchable }
    })
    await ask(program, 'defineAttributes', { storeUuid, definitions })
    declared++
    await sleep(random.below(200))
  }
  const declaring = repeat(declare, () => isDeclaring)
  const running = Array.from({ length: writers }, () => repeat(write))
  const restart = async () => {
    await sleep(300 + random.below(500))
    await program.end('SIGKILL')
    program = await start()
  }
  for (let kill = 0; kill < kills; kill++) {
    await restart()
    await sleep(500 + random.below(1_000))
    const pid = Number.parseInt(await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8'), 10)
    process.kill(pid, 'SIGKILL')
    const before = [written, declared]
    const isBack = () => written > (before[0] ?? 0) && declared > (before[1] ?? 0)
    await expect.poll(isBack).toBe(true)
  }
  isDeclaring = false
  await declaring
  // What these kills lose is not built again.
  const definitions = ['A', 'B'].map((name) => ({ name, type: 'TEXT', filterable: true, searchable: true }))
  await ask(program, 'defineAttributes', { storeUuid, definitions })
  const building = async () => {
    const { projections } = await ask<Progress>(program, 'store', { storeUuid }, '{ projections { isBuilding } }')
    return projections.map(({ isBuilding }) => isBuilding)
  }
  await expect.poll(building).toEqual([false, false])
  for (let kill = 0; kill < 2 * kills; kill++) await restart()
  isOver = true
  await Promise.all(running)
  const checked = await runCliProcess(['check', '--wait'], { DATA_DIR: dataDir })
  expect(checked).toMatchObject({ code: 0, stdout: 'no difference found\n' })
})
