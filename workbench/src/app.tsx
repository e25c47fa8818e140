// The shell of the page: navigation, theme, token, and which view is shown.
import { useEffect, useState } from "preact/hooks";
import { onUnauthorized, setToken } from "./api";
import { Admin } from "./view/admin";
import { Jobs } from "./view/jobs";
import { SessionView } from "./view/session";
import { Sessions } from "./view/sessions";
import { Tools } from "./view/tools";

/** The address after the #: view, then its arguments. */
function useRoute(): string[] {
  const read = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const [route, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

type Theme = "auto" | "light" | "dark";

function useTheme(): [Theme, (t: Theme) => void] {
  const [theme, set] = useState<Theme>(() => (localStorage.getItem("atelier.theme") as Theme) ?? "auto");
  useEffect(() => {
    localStorage.setItem("atelier.theme", theme);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      document.documentElement.dataset.theme = theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
      dispatchEvent(new Event("themechange"));
    };
    apply();
    dark.addEventListener("change", apply);
    return () => dark.removeEventListener("change", apply);
  }, [theme]);
  return [theme, set];
}

const views: [string, string][] = [
  ["", "Workbench"],
  ["sessions", "Sessions"],
  ["tools", "Tools"],
  ["jobs", "Jobs"],
];

export function App() {
  const route = useRoute();
  const [theme, setTheme] = useTheme();
  const [locked, setLocked] = useState(false);
  const [generation, setGeneration] = useState(0);
  useEffect(() => onUnauthorized(() => setLocked(true)), []);
  const admin = location.pathname === "/admin";
  const view = admin ? "admin" : route[0] === "s" ? "" : route[0];
  useEffect(() => {
    const name = admin ? "Admin" : (views.find((v) => v[0] === view)?.[1] ?? "Workbench");
    document.title = name + " · Atelier";
  }, [view, admin]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href="/#/" aria-label="Atelier, workbench">
          <Logo /> Atelier
        </a>
        <nav aria-label="Views">
          {views.map(([key, label]) => (
            <a key={key} href={"/#/" + key} aria-current={!admin && view === key ? "page" : undefined}>
              {label}
            </a>
          ))}
          <a href="/admin" aria-current={admin ? "page" : undefined}>
            Admin
          </a>
        </nav>
        <label class="theme">
          <span class="hidden">Theme</span>
          <select value={theme} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
            <option value="auto">System theme</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </header>
      <main id="main" tabIndex={-1} key={generation}>
        {locked ? (
          <Login
            done={(token) => {
              setToken(token);
              setLocked(false);
              setGeneration(generation + 1);
            }}
          />
        ) : (
          <View admin={admin} route={route} />
        )}
      </main>
    </>
  );
}

function View({ admin, route: [view, argument] }: { admin: boolean; route: string[] }) {
  if (admin) return <Admin />;
  switch (view) {
    case "tools":
      return <Tools name={argument} />;
    case "jobs":
      return <Jobs id={argument} />;
    case "sessions":
      return <Sessions />;
  }
  return <SessionView key={argument ?? ""} id={view === "s" ? argument : undefined} />;
}

function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path
        d="M10 1 18 5.5v9L10 19 2 14.5v-9z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linejoin="round"
      />
      <path d="M10 10 18 5.5M10 10v9M10 10 2 5.5" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}

function Login({ done }: { done: (token: string) => void }) {
  const [value, set] = useState("");
  return (
    <form
      class="card login"
      onSubmit={(e) => {
        e.preventDefault();
        if (value) done(value);
      }}
    >
      <h1>Token needed</h1>
      <p>This server answers only with the token that it was started with. It is kept in this tab only.</p>
      <label for="token">Token</label>
      <input
        id="token"
        type="password"
        autocomplete="current-password"
        value={value}
        onInput={(e) => set(e.currentTarget.value)}
        autofocus
      />
      <button class="primary" disabled={!value}>
        Open the workbench
      </button>
    </form>
  );
}
