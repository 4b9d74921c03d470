import { useMemo, useState } from 'react'
import { useQuery } from 'urql'
import { Coverage, StatusOverTime, TopBrands } from './charts.tsx'
import { dashboardQuery, storesQuery } from './queries.ts'

const days = 30
const dayMs = 86_400_000

export function App() {
  const [{ data, error }] = useQuery({ query: storesQuery, variables: {} })
  const [chosen, setChosen] = useState<string>()
  const stores = data?.stores.nodes ?? []
  const store = chosen ?? stores[0]?.storeUuid
  return (
    <>
      <header>
        <h1>Catalogue</h1>
        <select aria-label="Store" value={store} onChange={({ target }) => setChosen(target.value)}>
          {stores.map(({ storeUuid, storeName }) => (
            <option key={storeUuid} value={storeUuid}>
              {storeName}
            </option>
          ))}
        </select>
      </header>
      {error && <p className="problem">{error.message}</p>}
      {store && <Charts key={store} store={store} />}
    </>
  )
}

function Charts({ store }: { store: string }) {
  const variables = useMemo(() => ({ store, from: Date.now() - days * dayMs, to: Date.now() }), [store])
  const [{ data, error }] = useQuery({ query: dashboardQuery, variables })
  if (error) return <p className="problem">{error.message}</p>
  if (!data) return <p>Loading …</p>
  return (
    <main>
      <StatusOverTime points={data.series} />
      <Coverage rows={data.coverageRows} />
      <TopBrands brands={data.store?.facets[0]?.values ?? []} />
    </main>
  )
}
