"""The user class `BalancerHttpUser`, which generates more load per processor core and measures exact times.

* `balancer_http_user.py`: the class.
* `settings.py`: checks the attributes of the class.
* `session.py`: `self.client`, which sends with cookies, follows redirects, and reports.
* `cookies.py`: the cookies of a user.
* `response.py`: the result of a request.
* `errors.py`: the exceptions of a failed request.
* `request_bytes.py`: the bytes of a request.
* `origin.py`: URLs and redirects.
* `exchange.py`: one request and its answer over one connection.
* `connection.py`: the socket.
* `tls.py`: TLS on the socket.
* `address_book.py`: the addresses of host names.
* `answer.py`: the bytes of an answer, and the decoding of its body.

Most of these modules import neither Locust nor gevent, and never wait.
"""
