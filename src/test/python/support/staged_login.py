"""A login for `--web-login`, as Locust's documentation makes one: user `ann`, password `secret`."""

from typing import Any

from flask import Blueprint, redirect, request, session, url_for
from flask_login import UserMixin, login_user  # type: ignore[import-untyped]
from werkzeug.wrappers import Response


class Ann(UserMixin):  # type: ignore[misc]
    def get_id(self) -> str:
        return "ann"


def protect(web_ui: Any) -> None:
    web_ui.app.config["SECRET_KEY"] = "only a test"
    web_ui.login_manager.user_loader(lambda name: Ann() if name == "ann" else None)
    web_ui.auth_args = {"username_password_callback": "/login_submit"}
    pages = Blueprint("auth", __name__)

    @pages.route("/login_submit", methods=["POST"])
    def submit() -> Response:
        if (request.form.get("username"), request.form.get("password")) == ("ann", "secret"):
            login_user(Ann())
            return redirect(url_for("locust.index"))
        session["auth_error"] = "wrong"
        return redirect(url_for("locust.login"))

    web_ui.app.register_blueprint(pages)
