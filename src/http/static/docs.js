// The token is the one that GraphiQL keeps, so that a person enters it once; its "Clear data" forgets it.
const storageKey = 'graphiql:token'
const { SwaggerUIBundle } = window

/** Shows, above an operation's parameters, the GraphQL operation that it runs. */
function twins({ React }) {
  const h = React.createElement
  const Twin = ({ twin, isExtension }) =>
    h(
      'div',
      { className: 'twin' },
      isExtension && h('span', { className: 'extension' }, 'beyond the specification'),
      h('h4', null, 'The same in GraphQL: ', h('a', { href: twin.href }, `open ${twin.name} in GraphiQL`)),
      h(
        'details',
        null,
        h('summary', null, 'Operation and variables'),
        h('pre', null, twin.document),
        h('pre', null, JSON.stringify(twin.variables, null, 2)),
      ),
    )
  return {
    wrapComponents: {
      parameters: (Original, system) => (props) => {
        const operation = system.specSelectors.specJson().getIn(['paths', ...(props.pathMethod ?? [])])
        const twin = operation?.get('x-graphql')?.toJS()
        return h(
          React.Fragment,
          null,
          twin && h(Twin, { twin, isExtension: operation.get('x-extension') }),
          h(Original, props),
        )
      },
    },
  }
}

/** Keeps the token that a person authorises with. */
const keepToken = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (payload) => {
          const token = payload?.bearer?.value
          if (typeof token === 'string' && token !== '') localStorage.setItem(storageKey, token.trim())
          return original(payload)
        },
        logout: (original) => (names) => {
          localStorage.removeItem(storageKey)
          return original(names)
        },
      },
    },
  },
}

if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode')

const ui = SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  requestSnippetsEnabled: true,
  plugins: [twins, keepToken],
  onComplete: () => {
    const token = localStorage.getItem(storageKey)
    if (token) ui.preauthorizeApiKey('bearer', token)
  },
})
