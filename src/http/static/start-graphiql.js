// Starts GraphiQL with the tabs that the browser keeps, or the prepared ones, and opens the one that the address names.
;(async () => {
  const [tabsKey, valuesKey] = ['graphiql:tabState', 'graphiql:examples']
  const menu = document.getElementById('examples')
  self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => document.getElementById(label).value }
  const store = await catalogue.pickStore()
  const { placeholders, first, others } = await (await fetch(document.getElementById('prepared').value)).json()
  const before = JSON.parse(localStorage.getItem(valuesKey)) ?? placeholders
  const values = { ...before, ...(store && (await valuesOf(store))) }
  const kept = JSON.parse(localStorage.getItem(tabsKey))
  const tabs = kept?.tabs.map((tab) => ({ ...tab, variables: filled(tab.variables, before) })) ?? first.map(tabOf)
  localStorage.setItem(valuesKey, JSON.stringify(values))

  const { searchParams } = new URL(location.href)
  const [name, query] = [searchParams.get('operation'), searchParams.get('query')]
  const example = [...first, ...others].find((each) => each.name === name)
  const wanted = example ?? (query === null ? undefined : { query, variables: searchParams.get('variables') })
  const active = wanted ? open(tabOf(wanted)) : Math.min(kept?.activeTabIndex ?? 0, tabs.length - 1)
  localStorage.setItem(tabsKey, JSON.stringify({ tabs, activeTabIndex: active }))
  history.replaceState({}, '', location.pathname)

  for (const { name, label = name } of others) menu.append(new Option(label, name))
  menu.parentElement.hidden = false
  menu.addEventListener('change', () => location.assign(`/graphql?operation=${menu.value}`))

  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    fetcher,
    // With these of the open tab GraphiQL finds it among the kept ones; with others it would add one.
    initialQuery: tabs[active].query ?? '',
    initialVariables: tabs[active].variables ?? '',
    initialHeaders: '',
    onEditQuery: () => {},
    shouldPersistHeaders: false,
  })

  /** The index of a kept tab with this content, or of the added one. */
  function open(tab) {
    const same = tabs.findIndex(({ query, variables }) => query === tab.query && (variables ?? '') === tab.variables)
    return same < 0 ? tabs.push(tab) - 1 : same
  }

  function tabOf({ name = '<untitled>', query, variables }) {
    const blank = { hash: null, headers: null, operationName: null, response: null }
    return { ...blank, id: `${Math.random()}`, title: name, query, variables: filled(variables, placeholders) ?? '' }
  }

  /** JSON of variables with what `from` has in the examples replaced by what the store has. */
  function filled(variables, from) {
    if (!variables) return variables
    const replaced = (_, value) => {
      const name = Object.keys(from).find((each) => from[each] === value)
      return name ? values[name] : value
    }
    try {
      const text = JSON.stringify(JSON.parse(variables, replaced), null, 2)
      return text === JSON.stringify(JSON.parse(variables), null, 2) ? variables : text
    } catch {
      return variables
    }
  }

  /** What the examples name, of this store, as far as it has it. */
  async function valuesOf(store) {
    const query = `query Examples($store: ID!) {
      store(storeUuid: $store) {
        products(first: 2) { nodes { productCode assetGroups(channel: "SMP") { assets(first: 1) { assetId } } } }
      }
      changeRows(storeUuids: [$store], limit: 1) { requestId }
    }`
    const { data } = (await fetcher({ query, variables: { store } }).catch(() => undefined)) ?? {}
    const [product, otherProduct] = data?.store?.products?.nodes ?? []
    const request = data?.changeRows?.[0]?.requestId
    const found = {
      store,
      product: product?.productCode,
      otherProduct: otherProduct?.productCode,
      asset: product?.assetGroups[0]?.assets[0]?.assetId,
      request,
      revertedRequest: request,
    }
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
  }

  async function fetcher({ query, variables, operationName }, { headers } = {}) {
    const accept = 'application/graphql-response+json, application/json'
    // By GET, so that the browser keeps the schema until it changes.
    const response =
      operationName === 'IntrospectionQuery'
        ? await fetch(`/graphql?${new URLSearchParams({ query, operationName })}`, { headers: { accept } })
        : await fetch('/graphql', {
            method: 'POST',
            headers: { accept, 'content-type': 'application/json', ...headers },
            body: JSON.stringify({ query, variables, operationName }),
          })
    return response.json()
  }
})()
